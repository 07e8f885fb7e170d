/** Checks the configuration of accounts by mail, and makes what their routes need. */

import { StartError } from '../errors.ts'
import { defaultOf } from '../operation/body.ts'
import type { LoginMark } from '../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { OidcRouteDeps } from './federation/oidc-routes.ts'
import { checkChosenPasswords } from './passwords/chosen-password.ts'
import type { CheckPassword } from './recovery/accept-invitation.ts'
import { accountPageNeeds } from './recovery/account-pages.ts'
import type { ConsoleCodeRouteDeps } from './recovery/console-code-routes.ts'
import type { RecoveryRouteDeps } from './recovery/recovery-routes.ts'
import type { ServedEngine } from './served-engine.ts'
import type { CookieOptions } from './sessions/cookies/refresh-cookie.ts'
import { jwksNeeds } from './tokens/jwks-routes.ts'

/** Whether a user who signs up may act at once. */
function actsAtOnce({ settings, clock }: ServedEngine, { resource, mark }: MarkedTable<LoginMark>): boolean {
  if (mark.status === undefined) return true
  const context = { now: new Date(clock()).toISOString(), settings, role: null }
  return defaultOf(resource.fields[mark.status] as Field, context) === mark.activeStatus
}

/** Throws `StartError` for a setting that needs something the declarations lack. */
function checkSettings(engine: ServedEngine): void {
  const { settings } = engine
  const { login, oneTimeToken } = engine.catalog
  const wants = settings.verifyEmail ? 'VERIFY_EMAIL=required' : settings.loginLink ? 'LOGIN_LINK=on' : undefined
  if (wants && !oneTimeToken) throw new StartError(`${wants} needs mails: accounts({ …, recovery: true }) has them`)
  if (login && settings.verifyEmail && actsAtOnce(engine, login))
    throw new StartError(
      `VERIFY_EMAIL=required changes nothing: a new ${login.resource.name} may act at once; let the default of its status ask for settings.verifyEmail`,
    )
}

type RecoveryRouteParts = Pick<RecoveryRouteDeps, 'recovery' | 'checkPassword'>

/** Undefined where accounts are not recovered by mail. Throws `StartError`. */
function recoveryOf(engine: ServedEngine): RecoveryRouteParts | undefined {
  checkSettings(engine)
  const { recovery } = engine.identity
  const { login } = engine.catalog
  if (!recovery || !login) return undefined
  return { recovery, checkPassword: checkPasswordOf(engine, login) }
}

/** Throws `bad-request` for a password that the declaration or the configuration refuses. */
function checkPasswordOf({ identity }: ServedEngine, { resource, mark }: MarkedTable<LoginMark>): CheckPassword {
  return (password, user) => {
    const field = resource.fields[mark.secret] as Field
    field.type.check(password, mark.secret, field)
    checkChosenPasswords(identity, { resource, values: { [mark.secret]: password }, before: user })
  }
}

function consoleCodeNeeds(engine: ServedEngine, cookies: CookieOptions): ConsoleCodeRouteDeps | undefined {
  const { identity, catalog, settings } = engine
  const { consoleCodes } = identity
  if (!consoleCodes || !catalog.login || settings.consolePath === undefined) return undefined
  return { ...cookies, consoleCodes, checkPassword: checkPasswordOf(engine, catalog.login) }
}

type AccountRouteSettings = CookieOptions & Pick<OidcRouteDeps, 'publicUrl'>

/** The needs of the routes of accounts, where there are some. */
export function accountRouteDeps(engine: ServedEngine, { cookieSecure, corsOrigins, publicUrl }: AccountRouteSettings) {
  const { identity, catalog } = engine
  const { sessions, factors, federation } = identity
  const cookies = { cookieSecure, corsOrigins }
  const recovery = recoveryOf(engine)
  const { factor, linkedAccount } = catalog
  return {
    auth: () => sessions && { ...cookies, sessions },
    recovery: () => recovery && { ...cookies, ...recovery },
    factors: () => factors && factor && { ...cookies, identity, factors, resource: factor },
    oidc: () => federation && linkedAccount && { ...cookies, federation, publicUrl, linked: linkedAccount.resource },
    viewAs: () => identity.viewAs && { viewAs: identity.viewAs },
    consoleCode: () => consoleCodeNeeds(engine, cookies),
    erasure: () => ({ engine }),
    keys: () => jwksNeeds(identity),
    accountPages: () => recovery && accountPageNeeds(),
  }
}
