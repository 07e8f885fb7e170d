/** The cookie of a browser that an account has logged in from. It is sent to the log-in alone. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpRequest } from '../http/exchange.ts'

const cookieName = 'device'
const maxAgeSeconds = 180 * 24 * 60 * 60

/** Other clients keep no cookies for half a year; browsers say where a request came from (Fetch Metadata, section 2). */
export function isBrowser({ headers }: HttpRequest): boolean {
  return headers['sec-fetch-site'] !== undefined || headers.origin !== undefined
}

export function deviceCookieOf({ headers }: HttpRequest): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookieName]
}

/** `path`: that of the log-in. `secure`: as of the refresh cookie. */
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
