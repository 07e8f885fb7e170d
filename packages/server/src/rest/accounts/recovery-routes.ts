/**
 * `/auth/forgot`, `/auth/reset`, `/auth/verify` and `/auth/login-link`: accounts by mail. Whoever asks for a mail is told nothing, and what a
 * token is good for is in the token alone.
 */

import type { AskedLetter, CheckPassword, Recovery } from '../../accounts/recovery/recovery.ts'
import type { LogIn } from '../../accounts/sessions/session.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { refuseDryRun } from '../../http/messages/preferences.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { checkObject } from '../../operation/body.ts'
import { fieldError } from '../../resource/fields/field.ts'
import type { Visit } from './refresh-cookie.ts'
import { clientOf } from './request-client.ts'

const textLengthMax = 2000

export type RecoveryOptions = {
  readonly recovery: Recovery
  /** Whether a link in a mail logs in. */
  readonly loginLink: boolean
  readonly checkPassword: CheckPassword
}

type Steps = {
  /** Throws for a query string or an `Accept` that does not fit. */
  checkRequest(request: HttpRequest): void
  /** The text of a member of the body; undefined without one. Throws `bad-request`. */
  textOf(body: Record<string, unknown>, name: string): string | undefined
  /** The answer to a log-in. */
  answerLogIn(visit: Visit, logIn: LogIn): HttpResponse
}
type Operation = readonly [string, (visit: Visit) => Promise<HttpResponse>]

/** Accepted, and nothing more is said (RFC 9110, section 15.3.3). */
function accepted(): HttpResponse {
  return { status: 202, headers: { 'cache-control': 'no-store' }, body: null }
}

function done(): HttpResponse {
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: null }
}

/** Each is served under both mounts. */
export function recoveryOperations(
  options: RecoveryOptions,
  { checkRequest, textOf, answerLogIn }: Steps,
): Operation[] {
  const { recovery, loginLink, checkPassword } = options
  const askingOf = ({ address, headers }: HttpRequest) => ({
    address,
    userAgent: headers['user-agent'],
    languages: headers['accept-language'],
  })

  async function readBody(request: HttpRequest, names: readonly string[]): Promise<Record<string, string | undefined>> {
    checkRequest(request)
    refuseDryRun(request)
    const body = checkObject((await readJson(request)) ?? {})
    return Object.fromEntries(names.map((name) => [name, textOf(body, name)?.slice(0, textLengthMax)]))
  }

  async function ask(letter: AskedLetter, request: HttpRequest, email: string): Promise<HttpResponse> {
    await recovery.ask(letter, email, askingOf(request))
    return accepted()
  }

  async function forgot({ request }: Visit): Promise<HttpResponse> {
    const { email } = await readBody(request, ['email'])
    if (!email) throw fieldError('email', 'is required')
    return ask('reset', request, email)
  }

  async function reset({ request }: Visit): Promise<HttpResponse> {
    const { token, password } = await readBody(request, ['token', 'password'])
    if (!token) throw fieldError('token', 'is required')
    if (!password) throw fieldError('password', 'is required')
    await recovery.reset({ token, password, check: checkPassword }, askingOf(request))
    return done()
  }

  async function verify({ request }: Visit): Promise<HttpResponse> {
    const { token, email } = await readBody(request, ['token', 'email'])
    if (token) {
      await recovery.verify(token, askingOf(request))
      return done()
    }
    if (!email) throw fieldError('token', 'is required')
    return ask('verify', request, email)
  }

  async function logInByLink(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    const { token, email } = await readBody(request, ['token', 'email'])
    if (!token && !email) throw fieldError('email', 'is required')
    if (!token) return ask('log-in', request, email as string)
    return answerLogIn(visit, await recovery.logIn(token, clientOf(request)))
  }

  const always: Operation[] = [
    ['forgot', forgot],
    ['reset', reset],
    ['verify', verify],
  ]
  return loginLink ? [...always, ['login-link', logInByLink]] : always
}
