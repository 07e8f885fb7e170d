/** The answer to whoever has just logged in: the refresh token in its cookie, and for browsers the one of the device. */

import type { Pair } from '../../accounts/sessions/entrance.ts'
import type { LogIn } from '../../accounts/sessions/session.ts'
import { type HttpResponse, json } from '../../http/messages/exchange.ts'
import { isBrowser, setDeviceCookie } from './device-cookie.ts'
import { type CookieOptions, isSecure, setCookie, type Visit } from './refresh-cookie.ts'

/** With the cookie of the refresh token. */
export function answerPair(options: CookieOptions, visit: Visit, said: { pair: Pair; body: unknown; status?: number }) {
  const { pair, body, status = 200 } = said
  const cookie = setCookie(options, visit, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
  return json(status, body, { 'set-cookie': cookie, 'cache-control': 'no-store' })
}

/** The cookies of a log-in: the refresh token, and for browsers the device. */
export function cookiesOf(options: CookieOptions, visit: Visit, { device, ...pair }: LogIn): string[] {
  const { request, mount } = visit
  const refresh = setCookie(options, visit, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
  if (!isBrowser(request)) return [refresh]
  return [refresh, setDeviceCookie(device, { path: `${mount}/auth`, secure: isSecure(options, request) })]
}

/** The tokens, with what else is to be said. */
export function answerLogIn(
  options: CookieOptions,
  visit: Visit,
  { logIn, status = 200, more = {} }: { logIn: LogIn; status?: number; more?: Readonly<Record<string, unknown>> },
): HttpResponse {
  const { accessToken, refreshToken } = logIn
  const cookies = cookiesOf(options, visit, logIn)
  const headers = { 'set-cookie': cookies, 'cache-control': 'no-store' }
  return json(status, { accessToken, refreshToken, ...more }, headers)
}
