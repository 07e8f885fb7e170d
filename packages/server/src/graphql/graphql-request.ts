/**
 * A GraphQL request before its document is parsed, and the look-up of its response in the cache.
 */
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { Principal } from '../resource/principal.ts'
import type { CacheHit } from '../response-cache/cache-entry.ts'
import type { ResponseCache } from '../response-cache/response-cache.ts'
import type { ReadClient } from '../storage/storage.ts'
import type { ResponseType } from './accept.ts'
import type { ReadParams, SentDocument } from './documents/request-params.ts'
import type { StoredDocuments } from './documents/stored-documents.ts'

/** A request whose caller is known and whose body may still be on its way. */
export type GraphqlRequest = {
  readonly request: HttpRequest
  readonly accept: ResponseType
  readonly principal: Principal
  /** The same with its present rights. */
  readonly callerNow: () => Promise<Principal>
  readonly sent: Promise<SentDocument>
  /** Reads the parameters on the first call. */
  readonly params: () => Promise<ReadParams>
  readonly cacheControl: string
}

type CacheLookup = { readonly key?: string; readonly answer?: CacheHit | undefined }

/**
 * The cached response, and its key: the parameters as text, so a hit parses nothing. The name of a
 * stored document is no part of a key, because the document may be forgotten. Unreadable requests
 * have no key; the handler refuses them.
 */
export async function findCached(
  cache: ResponseCache,
  asking: GraphqlRequest,
  readClient: ReadClient,
): Promise<CacheLookup> {
  const { accept, principal, sent, params } = asking
  const caller = { principal, readClient }
  const about = `graphql ${accept} ${cache.scopes.personOf(principal)}`
  const whole = await sent.catch(() => undefined)
  if (!whole) return {}
  const key = `${about} ${whole.text}`
  const answer = await cache.find(key, caller)
  if (answer) return { key, answer }
  const read = await params().catch(() => undefined)
  if (!read || read.isWhole) return read ? { key } : {}
  const { query, operationName, variables } = read.params
  const named = JSON.stringify([about, query, operationName, variables])
  return { key: named, answer: await cache.find(named, caller) }
}

/** Reads the parameters on the first call. */
export function readOnce(sent: Promise<SentDocument>, stored: StoredDocuments): GraphqlRequest['params'] {
  let reading: Promise<ReadParams> | undefined
  return () => {
    reading ??= sent.then((one) => one.read(stored))
    return reading
  }
}
