/**
 * A request for GraphQL as far as it is known before its document is, and the answer that is kept
 * for it.
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
  readonly sent: Promise<SentDocument>
  /** What was sent is read once, and not before this is called. */
  readonly params: () => Promise<ReadParams>
  readonly cacheControl: string
}

type CacheLookup = { readonly key?: string; readonly answer?: CacheHit | undefined }

/**
 * The answer that is kept, and its key: what was sent, as it was sent, so that nothing of it is
 * parsed where an answer is found. A name stands for what is stored under it, which may be
 * forgotten, so it is no part of a key. No key for what cannot be read, which the handler refuses.
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

/** Reads the parameters when they are asked for the first time. */
export function readOnce(sent: Promise<SentDocument>, stored: StoredDocuments): GraphqlRequest['params'] {
  let reading: Promise<ReadParams> | undefined
  return () => {
    reading ??= sent.then((one) => one.read(stored))
    return reading
  }
}
