/** Who is asking: the Authorization and X-API-Key headers, and the parameter `api_key`. The same for REST and GraphQL. */
import { ApiError } from '../errors.ts'
import { countedAddress } from '../identity/counted-address.ts'
import type { Credentials, Identity } from '../identity/identity.ts'
import { mark, type RequestNote } from '../observe/request-note.ts'
import { parseParameters } from '../operation/parameters.ts'
import type { Principal } from '../resource/principal.ts'
import type { RateClass } from '../settings/network-settings.ts'
import type { Asker } from '../storage/storage.ts'
import type { HttpRequest } from './exchange.ts'

/** Node joins repeated headers with commas, which no key contains. */
function keyOf(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  const keys = new Set(
    String(value)
      .split(',')
      .map((key) => key.trim()),
  )
  if (keys.size > 1) throw new ApiError('bad-request', 'Two different API keys were sent')
  return [...keys][0]
}

/** Throws `bad-request` for a query string that cannot be parsed, and for two different keys. */
function credentialsOf(request: HttpRequest): Credentials {
  // The name may be percent-encoded, so any query string that could contain it is parsed.
  const mayHaveKey = request.query !== '' && (request.query.includes('api_key') || request.query.includes('%'))
  return {
    authorization: request.headers.authorization,
    keyHeader: keyOf(request.headers['x-api-key']),
    keyParameter: mayHaveKey ? parseParameters(request.query).get('api_key') : undefined,
  }
}

/** Counts a request towards its client's rate, and tells what is left. Throws `too-many-requests`. */
export type TakeRate = (client: string, rateClass: RateClass, tell?: HttpRequest['tell']) => Promise<void>

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

/** By the method, which says whether a request may write (RFC 9110, section 9.2.1). */
function rateClassOf({ method }: HttpRequest): RateClass {
  return safeMethods.has(method) ? 'read' : 'write'
}

type Asking = { readonly machine: boolean; readonly rateClass?: RateClass }

export type Caller = {
  readonly principal: Principal
  /** Whom requests and costly reads are counted for. */
  readonly asker: Asker
  /** A user's responses stay out of shared caches; public ones may be cached if each use is revalidated; a key in the URL forbids both. */
  readonly cacheControl: string
}

function noteCaller(note: RequestNote, principal: Principal): void {
  if (principal.kind !== 'user') return
  note.caller = principal.keyId === undefined ? 'user' : 'key'
  note.userId = principal.userId
  note.keyId = principal.keyId
}

/** Throws for any bad credential, and `too-many-requests`. A caller with a bad credential is counted by address. */
export async function identifyCaller(
  { identity, takeRate }: { identity: Identity; takeRate: TakeRate | undefined },
  request: HttpRequest,
  options: Asking,
): Promise<Caller> {
  const { rateClass = rateClassOf(request) } = options
  const { note } = request
  const credentials = credentialsOf(request)
  let principal: Principal
  try {
    principal = await identity.identify(credentials, { ...options, address: request.address })
  } catch (refused) {
    await takeRate?.(countedAddress(request.address), rateClass, request.tell)
    throw refused
  }
  if (note) noteCaller(note, principal)
  const isUser = principal.kind === 'user'
  const client = principal.kind === 'user' ? (principal.keyId ?? principal.userId) : countedAddress(request.address)
  if (takeRate) await takeRate(client, rateClass, request.tell)
  const { address, headers, left, onLeft } = request
  const languages = headers['accept-language']
  const asker = { client, address, userAgent: headers['user-agent'], languages, left, onLeft, note }
  mark(note, 'identify')
  return {
    principal,
    asker,
    cacheControl: credentials.keyParameter ? 'no-store' : isUser ? 'private, no-cache' : 'no-cache',
  }
}
