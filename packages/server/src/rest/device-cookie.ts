/** The cookie of a browser that an account has logged in from. It is sent to `/auth` alone, where all ways to log in begin. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpRequest } from '../http/exchange.ts'

const cookieName = 'device'
/** More than any that was made here. */
const lengthMax = 100
const maxAgeSeconds = 180 * 24 * 60 * 60

/** Other clients keep no cookies for half a year; browsers say where a request came from (Fetch Metadata, section 2). */
export function isBrowser({ headers }: HttpRequest): boolean {
  return headers['sec-fetch-site'] !== undefined || headers.origin !== undefined
}

export function deviceCookieOf({ headers }: HttpRequest): string | undefined {
  const value = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookieName]
  return value !== undefined && value.length <= lengthMax ? value : undefined
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
