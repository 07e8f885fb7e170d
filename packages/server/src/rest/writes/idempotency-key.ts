/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): the stored response of a
 * completed request, and the response to its retry. The key itself is never stored, only digests
 * that include it.
 */
import { createHash, createHmac, hash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { parseParameters } from '../../operation/parameters.ts'
import { listParameters } from '../../resource/list-style.ts'
import type { Principal } from '../../resource/principal.ts'
import type { DoneRequest } from '../../storage/storage.ts'

const keyLengthMax = 255
/** A larger response is not stored: its retry gets the address of the record. */
const answerLengthMax = 262_144

/**
 * A String of structured fields (RFC 9651, section 3.3.3), or the same text bare, as most clients
 * send it.
 */
const keyPattern = /^(?:"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"|([\x21\x23-\x7e]+))$/

/** `"8e03978e"` and `8e03978e` → the same key. Throws `bad-request`. */
export function parseKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const [, quoted, bare] = keyPattern.exec(String(header).trim()) ?? []
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? bare
  if (key === undefined || key.length > keyLengthMax)
    throw new ApiError(
      'bad-request',
      `Idempotency-Key must be one key of 1 to ${keyLengthMax} printable ASCII characters`,
    )
  return key
}

function digest(parts: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer')
}

/**
 * The owner of a stored response, whose limits it counts against: the user, by any credential, or
 * the network address of callers without one. It is not part of the key: such a caller may retry
 * from another address.
 */
export function keyOwnerOf(principal: Principal, client = ''): string {
  return digest(principal.kind === 'user' ? ['user', principal.userId] : ['client', client])
    .toString('base64url')
    .slice(0, 22)
}

/**
 * The owner within a key. Callers without a credential share one space: the key and the request
 * tell them apart.
 */
function ownerOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : ''
}

/**
 * The stored form of a key: one client's key for one operation in one tenant. `place`: that
 * operation.
 */
export function storedKey(key: string, principal: Principal, place: string): string {
  const { tenant } = principal
  return digest([key, ownerOf(principal), place, ...(tenant ? [tenant] : [])]).toString('base64url')
}

export type KeyedRequest = { readonly request: HttpRequest; readonly bytes: Buffer | undefined }

/** The request without its credential, which a retry may send in another way. */
function askedOf({ request, bytes }: KeyedRequest): string {
  const parameters = [...parseParameters(request.query)].filter(([name]) => name !== listParameters.credential.name)
  const body = createHash('sha256')
    .update(bytes ?? '')
    .digest('base64url')
  return digest([request.method, request.path, parameters.toSorted(), body]).toString('base64url')
}

/**
 * The fingerprint of a request. `isSecret`: the body may contain a password. Then the fingerprint
 * is an HMAC under the key, which is not stored, so that passwords cannot be guessed from it. It is
 * cheap, however often a request is repeated.
 */
export function printOf(asked: KeyedRequest, { key, isSecret }: { key: string; isSecret: boolean }): string {
  const print = askedOf(asked)
  return isSecret ? createHmac('sha256', key).update(print).digest('base64url') : print
}

type StoredReply = {
  readonly sight: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Why the body was not stored. */
  readonly without?: 'secret' | 'size'
}

const keptHeaders = ['content-type', 'etag', 'location', 'preference-applied']

/**
 * The response as text. `sight`: the key of the caller's view; a caller with a smaller view does
 * not get it again. `reveals`: it shows a secret that is shown only once.
 */
export function writeAnswer(response: HttpResponse, sight: string, reveals: boolean): string {
  const { status } = response
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name)))
  const body = response.body as string | null // not a stream: writes return their records whole
  const without = reveals ? 'secret' : (body?.length ?? 0) > answerLengthMax ? 'size' : undefined
  const answer = {
    sight,
    status,
    headers,
    body: without ? null : body,
    ...(without && { without }),
  }
  return JSON.stringify(answer)
}

/**
 * The stored response for a retry. Throws `conflict` where it was not stored, or is no longer for
 * this caller.
 */
export function readAnswer({ answer }: Pick<DoneRequest, 'answer'>, sight: string): HttpResponse {
  const { sight: first, status, headers, body, without } = JSON.parse(answer) as StoredReply
  const at = headers.location ?? 'the record'
  if (first !== sight)
    throw new ApiError('conflict', `This request was done, by a caller with other rights; read ${at} instead`)
  if (without === 'size')
    throw new ApiError('conflict', `This request was done, and its answer was too large to keep; read ${at} instead`)
  if (without === 'secret')
    throw new ApiError(
      'conflict',
      `This request was done, and its answer showed a secret only once; delete ${at} and send a new request with another key`,
    )
  return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }
}
