/**
 * The routes of accounts by mail: `/auth/forgot`, `/auth/reset`, `/auth/verify` and
 * `/auth/login-link`. The response to a request for a mail reveals nothing; the token alone decides
 * its purpose.
 */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import { openAccess, type RouteContext } from '../../endpoint/route-access.ts'
import { sentText } from '../../endpoint/route-fields.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { type LogInErrors, logInErrors } from '../code/log-in-errors.ts'
import { atAuth, authWords, counted, emailExample, fresh, passwordExample, tokenPair } from '../sessions/auth-texts.ts'
import type { CookieOptions } from '../sessions/cookies/refresh-cookie.ts'
import { clientOf } from '../sessions/request-client.ts'
import { answerLogIn } from '../sessions/session-response.ts'
import type { CheckPassword } from './accept-invitation.ts'
import type { Recovery, RequestableMail } from './recovery.ts'

export type RecoveryRouteDeps = CookieOptions & { readonly recovery: Recovery; readonly checkPassword: CheckPassword }

const lenient = { ignoresOthers: true } as const
const email = sentText({ maxLength: 1000, cut: true, description: 'The e-mail address of the account.' })
const token = sentText({ maxLength: 100, cut: true, description: 'The token of the link in the mail.' })
const password = sentText({ format: 'password', maxLength: 1024, cut: true, description: 'The new password.' })
const byAddress = { email: emailExample }

/** For all of them. */
const open429 = { rule: openAccess, limits: counted } as const
const asked = documentedResponse('The same whether there is such an account or not.')
const accepted = { status: 202, headers: fresh } as const
const done = { status: 204, headers: fresh } as const

function askingOf({ address, headers }: HttpRequest) {
  return { address, userAgent: headers['user-agent'], languages: headers['accept-language'] }
}

/** Accepted, and the response says no more (RFC 9110, section 15.3.3). */
async function ask(
  { recovery }: RecoveryRouteDeps,
  request: HttpRequest,
  mail: { letter: RequestableMail; email: string },
) {
  await recovery.ask(mail.letter, mail.email, askingOf(request))
  return accepted
}

const forgot = defineRoute({
  method: 'POST',
  ...atAuth('/forgot'),
  describe: {
    id: 'forgot',
    ...authWords,
    summary: 'Ask for a mail with which a new password is chosen',
    about: 'The mail has a link of one use.',
  },
  ...open429,
  input: bodyShape('The account of the password.', { email }, lenient),
  example: byAddress,
  output: { 202: asked },
  errors: ['bad-request', 'unavailable'],
  async run({ input: { email }, request }, needs: RecoveryRouteDeps) {
    if (!email) throw fieldError('email', 'is required')
    return ask(needs, request, { letter: 'reset', email })
  },
})

const reset = defineRoute({
  method: 'POST',
  ...atAuth('/reset'),
  describe: {
    id: 'reset',
    ...authWords,
    summary: 'Choose a new password',
    about: 'All sessions of the account end.',
  },
  ...open429,
  input: bodyShape('The new password.', { token, password }, lenient),
  example: { token: 'the token of the mail', password: passwordExample },
  output: { 204: documentedResponse('It is changed.') },
  errors: ['bad-request', 'unauthenticated', 'unavailable'],
  async run({ input: { token, password }, request }, { recovery, checkPassword }: RecoveryRouteDeps) {
    if (!token) throw fieldError('token', 'is required')
    if (!password) throw fieldError('password', 'is required')
    await recovery.reset({ token, password, check: checkPassword }, askingOf(request))
    return done
  },
})

const verify = defineRoute({
  method: 'POST',
  ...atAuth('/verify'),
  describe: {
    id: 'verify',
    ...authWords,
    summary: 'Prove an e-mail address',
    about: 'With `email` in place of `token` it asks for the mail of a sign-up once more: 202.',
  },
  ...open429,
  input: bodyShape('The content of the mail.', { token, email }, lenient),
  example: byAddress,
  output: { 202: asked, 204: documentedResponse('It is proven.') },
  errors: ['bad-request', 'unauthenticated', 'conflict', 'unavailable'],
  async run({ input: { token, email }, request }, needs: RecoveryRouteDeps) {
    if (!token && !email) throw fieldError('token', 'is required')
    if (!token) return ask(needs, request, { letter: 'verify', email: email as string })
    await needs.recovery.verify(token, askingOf(request))
    return done
  },
})

const logInByLink = (refusals: LogInErrors) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/login-link'),
    describe: {
      id: 'loginLink',
      ...authWords,
      summary: 'Log in by a link in a mail',
      about: 'With `email` it asks for the mail, with `token` it logs in.',
    },
    ...open429,
    input: bodyShape('The address, or the token.', { token, email }, lenient),
    example: byAddress,
    output: { 200: documentedResponse('Both tokens.', { headers: ['Set-Cookie'], body: tokenPair }), 202: asked },
    errors: ['bad-request', 'unauthenticated', ...refusals, 'unavailable'],
    async run({ input: { token, email }, request }, needs: RecoveryRouteDeps) {
      if (!token && !email) throw fieldError('email', 'is required')
      if (!token) return ask(needs, request, { letter: 'log-in', email: email as string })
      return answerLogIn(needs, request, await needs.recovery.logIn(token, clientOf(request)))
    },
  })

const acceptInvitation = defineRoute({
  method: 'POST',
  ...atAuth('/invitation'),
  describe: {
    id: 'acceptInvitation',
    ...authWords,
    summary: 'Accept an invitation',
    about: 'Without an account for the address, or with one that was never proven, it needs a password.',
  },
  ...open429,
  input: bodyShape('The token of the mail, and the password of a new account.', { token, password }, lenient),
  example: { token: 'the token of the mail', password: passwordExample },
  output: { 204: documentedResponse('It is accepted.') },
  errors: ['bad-request', 'unauthenticated', 'conflict', 'unavailable'],
  async run({ input: { token, password }, request }, { recovery, checkPassword }: RecoveryRouteDeps) {
    if (!token) throw fieldError('token', 'is required')
    await recovery.accept?.({ token, password: password || undefined, check: checkPassword }, askingOf(request))
    return done
  },
})

/** Empty where accounts are not recovered by mail. */
export function recoveryRoutes({
  catalog: { login, oneTimeToken, invitations },
  settings,
}: RouteContext): RouteGroup<RecoveryRouteDeps> {
  if (!login || !oneTimeToken) return { routes: [] }
  const accepting = invitations.length > 0 ? [acceptInvitation] : []
  return {
    routes: [forgot, reset, verify, ...(settings.loginLink ? [logInByLink(logInErrors(login))] : []), ...accepting],
  }
}
