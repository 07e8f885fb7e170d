/** Accounts by mail as the configuration has them: what the routes need, the pages, and what cannot be. */

import { checkChosenPasswords } from '../accounts/passwords/chosen-password.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { StartError } from '../errors.ts'
import type { HttpRoute } from '../http/server.ts'
import { defaultOf } from '../operation/body.ts'
import { makeAccountPages } from '../pages/account-pages.ts'
import { isVerification } from '../resource/accounts/credential-actions.ts'
import type { LoginMark } from '../resource/accounts/identity-mark.ts'
import type { Marked } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { RecoveryOptions } from '../rest/accounts/recovery-routes.ts'
import type { Route } from '../rest/route.ts'

/** Whether a user who signs up may act at once. */
function actsAtOnce({ settings, clock }: ServedEngine, { resource, mark }: Marked<LoginMark>): boolean {
  if (mark.status === undefined) return true
  const context = { now: new Date(clock()).toISOString(), settings, role: null }
  return defaultOf(resource.fields[mark.status] as Field, context) === mark.activeStatus
}

/** Throws `StartError` for what needs something that the declarations do not have. */
function checkSettings(engine: ServedEngine): void {
  const { settings } = engine
  const { login, oneTimeToken } = engine.catalog
  const wants = settings.verifyEmail ? 'VERIFY_EMAIL=required' : settings.loginLink ? 'LOGIN_LINK=on' : undefined
  if (wants && !oneTimeToken)
    throw new StartError(`${wants} needs resources for mails: none is marked as identity: { kind: 'one-time-token' }`)
  if (login && settings.verifyEmail && actsAtOnce(engine, login))
    throw new StartError(
      `VERIFY_EMAIL=required changes nothing: a new ${login.resource.name} may act at once; let the default of its status ask for settings.verifyEmail`,
    )
}

/** Undefined where accounts are not recovered by mail. Throws `StartError`. */
export function recoveryOf(engine: ServedEngine): RecoveryOptions | undefined {
  checkSettings(engine)
  const { recovery } = engine.identity
  const { login } = engine.catalog
  if (!recovery || !login) return undefined
  const { resource, mark } = login
  return {
    recovery,
    loginLink: engine.settings.loginLink ?? false,
    checkPassword(password, user) {
      const field = resource.fields[mark.secret] as Field
      field.type.check(password, mark.secret, field)
      checkChosenPasswords(engine.identity, { resource, values: { [mark.secret]: password }, before: user })
    },
  }
}

/** `routes`: those of the declarations. */
export function accountPages(recovery: RecoveryOptions | undefined, routes: readonly Route[]): HttpRoute[] {
  if (!recovery) return []
  const proof = routes.find(({ target }) => isVerification(target.resource.actions[target.operation]))
  return makeAccountPages({
    reset: '/auth/reset',
    verify: '/auth/verify',
    'log-in': recovery.loginLink ? '/auth/login-link' : undefined,
    'own-address': proof?.path,
  })
}
