/**
 * Reads cookies that identify a user. It refuses two with different values, because the server
 * cannot tell which one it set.
 */
import { parseCookie } from 'cookie'
import { ApiError } from '../../../errors.ts'
import type { HttpRequest } from '../../../http/messages/exchange.ts'

/**
 * The value of the cookie; undefined without one, or with an empty one. Throws `bad-request` for
 * two different ones: a neighbouring host can plant one beside the server's own (RFC 6265bis,
 * section 8.6).
 */
export function soleCookie({ headers }: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  const values = new Set<string>()
  // Each pair by itself: the parser of a whole header drops every cookie but the first of a name.
  for (const pair of (headers.cookie ?? '').split(';')) {
    const value = parseCookie(pair)[name]
    if (value) values.add(value)
  }
  if (values.size > 1) throw new ApiError('bad-request', `Two different ${name} cookies were sent`)
  return [...values][0]
}
