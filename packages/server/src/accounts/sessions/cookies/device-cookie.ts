/**
 * The cookie of a browser that an account has logged in from. Browsers send it to `/auth` alone,
 * where all ways to log in begin.
 */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpRequest } from '../../../http/messages/exchange.ts'

const cookieName = 'device'
/** More than any that was made here. */
const lengthMax = 100
/** As many as a request may bring; the check of each is a hash. */
const cookiesMax = 4
const maxAgeSeconds = 180 * 24 * 60 * 60

/**
 * Other clients keep no cookies for half a year; browsers say where a request came from (Fetch
 * Metadata, section 2).
 */
export function isBrowser({ headers }: HttpRequest): boolean {
  return headers['sec-fetch-site'] !== undefined || headers.origin !== undefined
}

/**
 * The values of the cookie, separated by spaces where there are several. A neighbouring host can
 * plant some before the server's own, and only its signature distinguishes it.
 */
export function deviceCookieOf({ headers }: HttpRequest): string | undefined {
  const values = (headers.cookie ?? '').split(';').map((pair) => parseCookie(pair)[cookieName])
  const fitting = values.filter((value) => value !== undefined && value !== '' && value.length <= lengthMax)
  return fitting.length === 0 ? undefined : fitting.slice(0, cookiesMax).join(' ')
}

/** `path`: that of `/auth`. `secure`: as of the refresh cookie. */
export function setDeviceCookie(value: string, { path, secure }: { path: string; secure: boolean }): string {
  return stringifySetCookie({
    name: cookieName,
    value,
    path,
    secure,
    httpOnly: true,
    sameSite: 'strict',
    maxAge: maxAgeSeconds,
  })
}
