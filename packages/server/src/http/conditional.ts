/** `If-None-Match` on what is read, and the strong validators of answers that have no version (RFC 9110, section 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** The ETag of exactly these bytes. */
export function etagOfBytes(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`
}

/** Whether the client has this version already. */
export function isKnown({ headers }: Pick<HttpRequest, 'headers'>, etag: string): boolean {
  const matches = headers['if-none-match']
  if (matches === undefined) return false
  return matches.trim() === '*' || matches.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** The response, or 304 where the client has it. */
export function unlessKnown(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { etag } = response.headers
  if (response.status !== 200 || typeof etag !== 'string' || !isKnown(request, etag)) return response
  return { status: 304, headers: { etag }, body: null, known: response.body }
}
