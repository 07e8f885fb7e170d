/**
 * Answers `If-None-Match` with 304, and makes strong ETags of responses that have no version (RFC
 * 9110, section 8.8.3 and 13.1.2).
 */
import { hash } from 'node:crypto'
import { bytesOf, type HttpRequest, type HttpResponse, type WholeBody } from './exchange.ts'

/** The ETag of exactly these bytes. */
export function etagOfBytes(body: WholeBody): string {
  return `"${hash('sha256', typeof body === 'string' ? body : bytesOf(body), 'base64url').slice(0, 27)}"`
}

/** Whether the client has this version already. */
function isKnown({ headers }: Pick<HttpRequest, 'headers'>, etag: string): boolean {
  const matches = headers['if-none-match']
  if (matches === undefined) return false
  return matches.trim() === '*' || matches.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** The headers that a 304 repeats for caches, besides the ETag (RFC 9110, section 15.4.5). */
const toldAnew = ['cache-control', 'vary'] as const

/** The response, or 304 where the client has it. */
export function unlessKnown(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { etag } = response.headers
  if (response.status !== 200 || typeof etag !== 'string' || !isKnown(request, etag)) return response
  const headers: HttpResponse['headers'] = { etag }
  for (const name of toldAnew) if (response.headers[name] !== undefined) headers[name] = response.headers[name]
  return { status: 304, headers, body: null, known: response.body }
}
