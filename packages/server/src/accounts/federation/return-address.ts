/**
 * Checks the address that a browser goes to after a log-in by another issuer: on this server, or at
 * an allowed origin.
 */
import { ApiError } from '../../errors.ts'

/** Stands for whatever host the browser sees. */
const here = 'http://here.invalid'
const lengthMax = 1000

/**
 * `/app?x=1` → the same; an address of one of these origins → the same, without its fragment.
 * Throws `bad-request` for any other: a free choice would let an attacker redirect people to their
 * own page.
 */
export function checkReturnAddress(text: string, origins: readonly string[]): string {
  const url = text.length <= lengthMax && URL.canParse(text, here) ? new URL(text, here) : undefined
  if (url) {
    url.hash = ''
    const path = url.href.slice(here.length)
    // A path begins with one slash, as it is sent and as it is read: what the parser makes of
    // `/.//evil.example` begins with two.
    if ([text, path].every((one) => /^\/(?![/\\])/.test(one)) && url.origin === here) return path
    if (origins.includes(url.origin) && url.username === '' && url.password === '') return url.href
  }
  throw new ApiError('bad-request', 'returnTo must be a path of this server, or an address of CORS_ORIGINS')
}
