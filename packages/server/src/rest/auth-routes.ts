/** `/auth/login`, `/auth/refresh`, `/auth/logout`. Only body and cookie count here: a stale Authorization header is no reason to refuse. */
import { parseCookie, stringifySetCookie } from 'cookie'
import { ApiError } from '../errors.ts'
import { hostNameOf, isLoopbackName } from '../host-name.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/exchange.ts'
import { readJson } from '../http/read-body.ts'
import type { Pair, Sessions } from '../identity/session.ts'
import { checkObject } from '../operation/body.ts'
import { checkParameters, parseParameters } from '../operation/parameters.ts'
import { fieldError } from '../resource/fields/field.ts'
import { checkAccept } from './parse.ts'
import { apiPrefix } from './route.ts'

const cookieName = 'refreshToken'
const tokenLengthMax = 512

export type AuthOptions = {
  readonly sessions: Sessions
  readonly cookieSecure: boolean
  readonly corsOrigins: readonly string[]
}
export type AuthRoute = {
  readonly method: 'POST'
  readonly path: string
  answer(request: HttpRequest): Promise<HttpResponse>
}

/** A request, and the mount of the `/auth` that it came to. */
type Visit = { readonly request: HttpRequest; readonly mount: string }

function setCookie(options: AuthOptions, { request, mount }: Visit, cookie: { value: string; maxAge: number }): string {
  const plainLoopback = request.protocol === 'http' && isLoopbackName(hostNameOf(request.headers.host ?? ''))
  return stringifySetCookie({
    name: cookieName,
    ...cookie,
    path: `${mount}/auth`,
    httpOnly: true,
    sameSite: 'strict',
    secure: options.cookieSecure && !plainLoopback,
  })
}

/**
 * Throws `forbidden` for a request that another site made the browser send, before its cookie is used. `Sec-Fetch-Site` decides, and
 * `Origin` only where the browser does not send it. An origin that the operator has allowed does not count as another site.
 */
function checkSameSite({ corsOrigins }: AuthOptions, { headers, protocol }: HttpRequest): void {
  const { origin, host } = headers
  if (origin !== undefined && corsOrigins.includes(origin)) return
  const site = headers['sec-fetch-site']
  const foreign = origin !== undefined && origin !== `${protocol}://${host}` && !isSameHost(origin, host)
  if (site === undefined ? foreign : site === 'cross-site')
    throw new ApiError('forbidden', 'Cross-site request refused')
}

/** Behind a proxy that terminates TLS the schemes differ, but the hosts do not. */
function isSameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function textOf(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name]
  if (value !== undefined && typeof value !== 'string') throw fieldError(name, 'must be a string')
  return value
}

function missingIn(sent: Readonly<Record<string, string | undefined>>): ApiError {
  const missing = Object.keys(sent).filter((field) => !sent[field])
  const mistakes = missing.map((field) => ({ field, detail: `${field} is required` }))
  return new ApiError('bad-request', `${Object.keys(sent).join(' and ')} required`, { mistakes })
}

/** A body that cannot be parsed counts as one without a token. Throws `too-large`, `timeout`. */
async function tokenOfBody(request: HttpRequest): Promise<string | undefined> {
  try {
    return textOf(checkObject((await readJson(request)) ?? {}), cookieName)
  } catch (error) {
    const unusable =
      error instanceof ApiError && (error.code === 'bad-request' || error.code === 'unsupported-media-type')
    if (unusable) return undefined
    throw error
  }
}

/** The token from the cookie, or else from the body, for clients that keep no cookies. */
async function presentedToken(request: HttpRequest): Promise<{ token: string | undefined; from: 'cookie' | 'body' }> {
  const cookie = request.headers.cookie && parseCookie(request.headers.cookie)[cookieName]
  if (cookie) return { token: cookie.slice(0, tokenLengthMax), from: 'cookie' }
  return { token: (await tokenOfBody(request))?.slice(0, tokenLengthMax), from: 'body' }
}

function checkRequest({ headers, query }: HttpRequest): void {
  checkAccept(headers.accept, ['application/json'])
  checkParameters(parseParameters(query), [])
}

export function makeAuthRoutes(options: AuthOptions): AuthRoute[] {
  const { sessions } = options

  function answerPair(visit: Visit, pair: Pair, body: unknown): HttpResponse {
    const cookie = setCookie(options, visit, { value: pair.refreshToken, maxAge: pair.refreshTokenSeconds })
    return json(200, body, { 'set-cookie': cookie, 'cache-control': 'no-store' })
  }

  async function login(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkRequest(request)
    const body = checkObject((await readJson(request)) ?? {})
    const email = textOf(body, 'email')
    const password = textOf(body, 'password')
    if (!email || !password) throw missingIn({ email, password })
    const pair = await sessions.login(email, password, {
      address: request.address,
      userAgent: request.headers['user-agent'],
    })
    return answerPair(visit, pair, { accessToken: pair.accessToken, refreshToken: pair.refreshToken })
  }

  async function refresh(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkSameSite(options, request)
    const { token, from } = await presentedToken(request)
    if (!token) throw new ApiError('unauthenticated', 'Invalid refresh token')
    checkRequest(request)
    const pair = await sessions.refresh(token)
    const { accessToken, refreshToken } = pair
    return answerPair(visit, pair, from === 'cookie' ? { accessToken } : { accessToken, refreshToken })
  }

  /** Does not check the query string or `Accept`: a client may always log out. */
  async function logout(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkSameSite(options, request)
    const { token } = await presentedToken(request)
    if (token) await sessions.logout(token)
    const cookie = setCookie(options, visit, { value: '', maxAge: 0 })
    return { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' }, body: null }
  }

  const operations = [
    ['login', login],
    ['refresh', refresh],
    ['logout', logout],
  ] as const
  const mounts = [apiPrefix, ''] as const
  const routes = mounts.flatMap((mount) =>
    operations.map(([name, run]) => ({ path: `${mount}/auth/${name}`, mount, run })),
  )
  routes.push({ path: `${apiPrefix}/auth/refresh-token`, mount: apiPrefix, run: refresh })
  return routes.map(({ path, mount, run }) => ({
    method: 'POST',
    path,
    answer: (request) => run({ request, mount }),
  }))
}
