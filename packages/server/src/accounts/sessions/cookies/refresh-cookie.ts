/**
 * The cookie with the refresh token: sets it and reads it. It refuses requests that another origin
 * made a browser send (RFC 6265bis, sections 4.1.2 and 8.8).
 */
import { stringifySetCookie } from 'cookie'
import { hostNameOf, isLoopbackName } from '../../../base/host-name.ts'
import { ApiError } from '../../../errors.ts'
import type { HttpRequest } from '../../../http/messages/exchange.ts'
import { apiPrefix } from '../../../resource/words/api-prefix.ts'
import { soleCookie } from './sole-cookie.ts'

export const cookieName = 'refreshToken'

export type CookieOptions = {
  /** Whether the cookie is `Secure`, except for plain HTTP to this machine. */
  readonly cookieSecure: boolean
  /** Origins besides the server's own from which browsers may refresh and log out. */
  readonly corsOrigins: readonly string[]
}

/** The mount of `/auth` that the request came to: cookies are set for that one alone. */
export function mountOf({ path }: Pick<HttpRequest, 'path'>): string {
  return path.startsWith(`${apiPrefix}/`) ? apiPrefix : ''
}

/** Whether a cookie of this response is `Secure`. */
export function isSecure({ cookieSecure }: CookieOptions, { protocol, headers }: HttpRequest): boolean {
  const plainLoopback = protocol === 'http' && isLoopbackName(hostNameOf(headers.host ?? ''))
  return cookieSecure && !plainLoopback
}

/**
 * The header that sets the cookie, or clears it with an empty value and no age. `maxAge` is in
 * seconds.
 */
export function setCookie(
  options: CookieOptions,
  request: HttpRequest,
  cookie: { readonly value: string; readonly maxAge: number },
): string {
  return stringifySetCookie({
    name: cookieName,
    ...cookie,
    path: `${mountOf(request)}/auth`,
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(options, request),
  })
}

/**
 * The token of the cookie; undefined without one. Throws `bad-request` for two cookies with
 * different tokens.
 */
export function cookieToken(request: HttpRequest): string | undefined {
  return soleCookie(request, cookieName)
}

/**
 * Whether the origin is the server's own. Behind a proxy that ends TLS without telling, the origin
 * is https where the request is not.
 */
function isOwn(origin: string, { headers, protocol }: HttpRequest): boolean {
  const own = [`${protocol}://${headers.host}`, `https://${headers.host}`]
  return own.some((one) => URL.canParse(one) && new URL(one).origin === origin)
}

/**
 * Throws `forbidden` for a request that another origin made the browser send, even one of the same
 * site, before its cookie is used. `Origin` decides, and `Sec-Fetch-Site` only where there is none.
 * Clients that are no browsers send neither.
 */
export function checkOrigin({ corsOrigins }: CookieOptions, request: HttpRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isAllowed =
    origin === undefined
      ? site === undefined || site === 'same-origin' || site === 'none'
      : corsOrigins.includes(origin) || isOwn(origin, request)
  if (!isAllowed) throw new ApiError('forbidden', 'Cross-site request refused')
}
