/** The answer to whoever has just logged in: the refresh token in its cookie, and for browsers the one of the device. */
import { type HttpResponse, json } from '../http/exchange.ts'
import type { Pair } from '../identity/entrance.ts'
import type { LogIn } from '../identity/session.ts'
import { isBrowser, setDeviceCookie } from './device-cookie.ts'
import { type CookieOptions, isSecure, setCookie, type Visit } from './refresh-cookie.ts'

/** With the cookie of the refresh token. */
export function answerPair(options: CookieOptions, visit: Visit, said: { pair: Pair; body: unknown; status?: number }) {
  const { pair, body, status = 200 } = said
  const cookie = setCookie(options, visit, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
  return json(status, body, { 'set-cookie': cookie, 'cache-control': 'no-store' })
}

/** The tokens, with what else is to be said. */
export function answerLogIn(
  options: CookieOptions,
  visit: Visit,
  { logIn, status, more = {} }: { logIn: LogIn; status?: number; more?: Readonly<Record<string, unknown>> },
): HttpResponse {
  const { device, ...pair } = logIn
  const body = { accessToken: pair.accessToken, refreshToken: pair.refreshToken, ...more }
  const answer = answerPair(options, visit, { pair, body, ...(status && { status }) })
  const { request, mount } = visit
  if (!isBrowser(request)) return answer
  const cookie = setDeviceCookie(device, { path: `${mount}/auth/login`, secure: isSecure(options, request) })
  return { ...answer, headers: { ...answer.headers, 'set-cookie': [String(answer.headers['set-cookie']), cookie] } }
}
