/** `/auth/login`, `/auth/refresh`, `/auth/logout`, and accounts by mail. Only body and cookie count here: a stale Authorization header is no reason to refuse. */

import type { Sessions } from '../../accounts/sessions/session.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { checkObject } from '../../operation/body.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { checkAccept } from '../parse.ts'
import { apiPrefix } from '../route.ts'
import { type RecoveryOptions, recoveryOperations } from './recovery-routes.ts'
import { type CookieOptions, checkOrigin, cookieName, cookieToken, setCookie, type Visit } from './refresh-cookie.ts'
import { clientOf, originOf } from './request-client.ts'
import { answerLogIn, answerPair } from './session-answer.ts'

const tokenLengthMax = 512

export type AuthOptions = CookieOptions & {
  readonly sessions: Sessions
  /** Undefined where accounts are not recovered by mail. */
  readonly recovery?: RecoveryOptions | undefined
}
export type AuthRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Whether a credential says who asks, and who is counted. */
  readonly byCaller?: boolean
  answer(request: HttpRequest): Promise<HttpResponse>
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
  const cookie = cookieToken(request)
  if (cookie) return { token: cookie.slice(0, tokenLengthMax), from: 'cookie' }
  return { token: (await tokenOfBody(request))?.slice(0, tokenLengthMax), from: 'body' }
}

function checkRequest({ headers, query }: HttpRequest): void {
  checkAccept(headers.accept, ['application/json'])
  checkParameters(parseParameters(query), [])
}

export function makeAuthRoutes(options: AuthOptions): AuthRoute[] {
  const { sessions } = options

  async function login(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkRequest(request)
    const body = checkObject((await readJson(request)) ?? {})
    const email = textOf(body, 'email')
    const password = textOf(body, 'password')
    if (!email || !password) throw missingIn({ email, password })
    return answerLogIn(options, visit, { logIn: await sessions.login(email, password, clientOf(request)) })
  }

  async function refresh(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkOrigin(options, request)
    const { token, from } = await presentedToken(request)
    if (!token) throw new ApiError('unauthenticated', 'Invalid refresh token')
    checkRequest(request)
    const pair = await sessions.refresh(token, originOf(request))
    const { accessToken, refreshToken } = pair
    const body = from === 'cookie' ? { accessToken } : { accessToken, refreshToken }
    return answerPair(options, visit, { pair, body })
  }

  /** Does not check the query string or `Accept`: a client may always log out. */
  async function logout(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    checkOrigin(options, request)
    const { token } = await presentedToken(request)
    if (token) await sessions.logout(token, originOf(request))
    const cookie = setCookie(options, visit, { value: '', maxAge: 0 })
    return { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' }, body: null }
  }

  const operations = [
    ['login', login],
    ['refresh', refresh],
    ['logout', logout],
    ...(options.recovery
      ? recoveryOperations(options.recovery, {
          checkRequest,
          textOf,
          answerLogIn: (visit, logIn) => answerLogIn(options, visit, { logIn }),
        })
      : []),
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
