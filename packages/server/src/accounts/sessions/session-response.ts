/**
 * The response to a log-in: the refresh token in its cookie, and for browsers the device cookie.
 */

import type { HttpRequest } from '../../http/messages/exchange.ts'
import { isBrowser, setDeviceCookie } from './cookies/device-cookie.ts'
import { type CookieOptions, isSecure, mountOf, setCookie } from './cookies/refresh-cookie.ts'
import type { LogInResult } from './session.ts'
import type { TokenPair } from './start-session.ts'

/** The headers of an answer with the cookie of the refresh token. */
export function withPair(options: CookieOptions, request: HttpRequest, pair: TokenPair) {
  const cookie = setCookie(options, request, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
  return { 'set-cookie': cookie, 'cache-control': 'no-store' }
}

/** The cookies of a log-in: the refresh token, and for browsers the device. */
export function cookiesOf(options: CookieOptions, request: HttpRequest, { device, ...pair }: LogInResult): string[] {
  const refresh = setCookie(options, request, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
  if (!isBrowser(request)) return [refresh]
  return [refresh, setDeviceCookie(device, { path: `${mountOf(request)}/auth`, secure: isSecure(options, request) })]
}

/** The tokens, and the headers with the cookies. */
export function answerLogIn(options: CookieOptions, request: HttpRequest, logIn: LogInResult) {
  const { accessToken, refreshToken } = logIn
  const headers = { 'set-cookie': cookiesOf(options, request, logIn), 'cache-control': 'no-store' }
  return { status: 200, headers, body: { accessToken, refreshToken } } as const
}
