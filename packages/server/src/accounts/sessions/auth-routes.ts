/**
 * The routes `/auth/login`, `/auth/refresh` and `/auth/logout`. Only body and cookie count here: a
 * stale Authorization header is no reason to refuse.
 */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import { openAccess, provenBy, type RouteContext } from '../../endpoint/route-access.ts'
import { sentText } from '../../endpoint/route-fields.ts'
import { ApiError } from '../../errors.ts'
import { checkAccept } from '../../http/accept-header.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { readSafeJson } from '../../http/messages/read-body.ts'
import { checkObject } from '../../operation/body.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { type LogInErrors, logInErrors } from '../code/log-in-errors.ts'
import { factorShapes, refusedLogIn } from '../factors/factor-texts.ts'
import {
  atAuth,
  authWords,
  counted,
  emailExample,
  passwordExample,
  refreshedToken,
  refreshTokenBody,
  tokenPair,
} from './auth-texts.ts'
import { type CookieOptions, checkOrigin, cookieName, cookieToken, setCookie } from './cookies/refresh-cookie.ts'
import { credentialSchemes, refreshCookie } from './credential-schemes.ts'
import { clientOf, originOf } from './request-client.ts'
import type { SessionService } from './session.ts'
import { answerLogIn, withPair } from './session-response.ts'

const tokenLengthMax = 512

export type AuthRouteDeps = CookieOptions & { readonly sessions: SessionService }

/** A body that cannot be parsed counts as one without a token. Throws `too-large`, `timeout`. */
async function tokenOfBody(request: HttpRequest): Promise<string | undefined> {
  try {
    const { [cookieName]: token } = checkObject((await readSafeJson(request)) ?? {})
    if (token !== undefined && typeof token !== 'string') throw fieldError(cookieName, 'must be a string')
    return token
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

const loginBody = bodyShape(
  'Who logs in.',
  {
    email: sentText({
      required: true,
      maxLength: 1000,
      cut: true,
      description: 'The e-mail address of the account.',
    }),
    password: sentText({
      required: true,
      format: 'password',
      maxLength: 1024,
      writeOnly: true,
      cut: true,
      description: 'The password of the account.',
    }),
  },
  { name: 'Login', ignoresOthers: true, missing: 'email and password required' },
)

const loginRoute = (hasFactors: boolean, refusals: LogInErrors) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/login'),
    describe: {
      id: 'login',
      ...authWords,
      summary: 'Log in',
      about: 'Wrong, unknown and inactive look the same. Too many failures are 429.',
    },
    rule: openAccess,
    limits: counted,
    ignoresDryRun: true,
    input: loginBody,
    example: { email: emailExample, password: passwordExample },
    output: {
      200: documentedResponse('Both tokens; the refresh token is in the cookie too.', {
        headers: ['Set-Cookie'],
        body: tokenPair,
      }),
    },
    errors: ['bad-request', 'unauthenticated', ...refusals],
    // A second factor may be due.
    ...(hasFactors && { refusals: { unauthenticated: refusedLogIn } }),
    async run({ input: { email, password }, request }, needs: AuthRouteDeps) {
      return answerLogIn(needs, request, await needs.sessions.login(email, password, clientOf(request)))
    },
  })

/** The cookie, or the same token in the body. */
const withToken = {
  rule: provenBy(refreshCookie.name),
  limits: counted,
  input: refreshTokenBody,
  isInputOptional: true,
  example: { refreshToken: 'the token that was given' },
  isRaw: true,
} as const

const { path, alsoAt } = atAuth('/refresh')
const refreshRoute = defineRoute({
  method: 'POST',
  path,
  alsoAt: [...alsoAt, `${apiPrefix}/auth/refresh-token`],
  describe: {
    id: 'refresh',
    ...authWords,
    summary: 'Take a new access token',
    about: 'The refresh token is followed by its successor. A request that another site caused is 403.',
  },
  ...withToken,
  output: { 200: documentedResponse('A new access token.', { headers: ['Set-Cookie'], body: refreshedToken }) },
  errors: ['bad-request', 'unauthenticated', 'forbidden'],
  async run({ request }, needs: AuthRouteDeps) {
    checkOrigin(needs, request)
    const { token, from } = await presentedToken(request)
    if (!token) throw new ApiError('unauthenticated', 'Invalid refresh token')
    checkAccept(request.headers.accept, ['application/json'])
    checkParameters(parseParameters(request.query), [])
    const pair = await needs.sessions.refresh(token, originOf(request))
    const { accessToken, refreshToken } = pair
    const body = from === 'cookie' ? { accessToken } : { accessToken, refreshToken }
    return { status: 200, headers: withPair(needs, request, pair), body }
  },
})

/** Does not check the query string or `Accept`: a client may always log out. */
const logoutRoute = defineRoute({
  method: 'POST',
  ...atAuth('/logout'),
  describe: {
    id: 'logout',
    ...authWords,
    summary: 'Log out',
    about: 'Ends the session. Without one, or repeated, it answers the same.',
  },
  ...withToken,
  output: { 204: documentedResponse('The session has ended.', { headers: ['Set-Cookie'] }) },
  errors: ['bad-request', 'forbidden'],
  async run({ request }, needs: AuthRouteDeps) {
    checkOrigin(needs, request)
    const { token } = await presentedToken(request)
    if (token) await needs.sessions.logout(token, originOf(request))
    const cookie = setCookie(needs, request, { value: '', maxAge: 0 })
    return { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } }
  },
})

/** Empty where there are no users who log in. */
export function authRoutes({ catalog }: RouteContext): RouteGroup<AuthRouteDeps> {
  const { login, factor } = catalog
  const credentials = credentialSchemes(catalog)
  if (!login) return { routes: [], credentials }
  return {
    routes: [loginRoute(factor !== undefined, logInErrors(login)), refreshRoute, logoutRoute],
    credentials,
    shapes: [loginBody, tokenPair, refreshedToken, refreshTokenBody, ...(factor ? factorShapes : [])],
  }
}
