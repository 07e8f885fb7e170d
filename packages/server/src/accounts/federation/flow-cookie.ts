/**
 * The cookie that holds a log-in by another issuer while the browser is away. The browser returns
 * from another site, so the cookie is `SameSite=Lax`. It is good only for the response to its own
 * request.
 */
import { stringifySetCookie } from 'cookie'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { type CookieOptions, isSecure, mountOf } from '../sessions/cookies/refresh-cookie.ts'
import { soleCookie } from '../sessions/cookies/sole-cookie.ts'
import { flowSeconds } from './federation.ts'

const cookieName = 'logInFlow'

/**
 * Throws `bad-request` for two different ones: with a planted cookie the browser would end an
 * attacker's log-in.
 */
export function flowCookieOf(request: HttpRequest): string | undefined {
  return soleCookie(request, cookieName)
}

/** Sets it, or with an empty value takes it back. */
export function setFlowCookie(options: CookieOptions, request: HttpRequest, value: string): string {
  return stringifySetCookie({
    name: cookieName,
    value,
    path: `${mountOf(request)}/auth/oidc`,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(options, request),
    maxAge: value === '' ? 0 : flowSeconds,
  })
}
