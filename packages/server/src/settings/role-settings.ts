/**
 * Checks variables that name roles. The environment is read before the declarations, but only those
 * know the roles. So this file resolves the variables afterwards.
 */
import { fail } from '../base/environment.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import type { Roles } from '../resource/rules/role-order.ts'
import type { AccountSettings } from './account-settings.ts'
import { type FederationSettings, rolesVariable } from './federation-settings.ts'

type ReadSettings = Pick<FederationSettings, 'oidcProviders'> & {
  readonly settings: ServiceSettings
  readonly accounts: Pick<AccountSettings, 'mfa'>
}

/** A role that reaches one of those that need a second factor needs it too. */
function mfaFor({ mfa }: ReadSettings['accounts'], roles: Roles): ServiceSettings['mfaFor'] {
  if (mfa === undefined) return undefined
  if (mfa === 'required') return 'everyone'
  const { names } = roles
  const wrong = mfa.find((one) => !names.includes(one))
  if (wrong !== undefined) fail('MFA', `must be off, required, or roles of ${names.join(', ')}; ${wrong} is none`)
  const needing = names.filter((role) => mfa.some((one) => roles.reaches(role, one)))
  return needing.length === names.length ? 'everyone' : needing
}

/** A person to whom the claims of a provider give no role gets the lowest one, which must exist. */
function checkLowest(variable: string, { names, lowest }: Roles): void {
  if (lowest === '')
    fail(
      variable,
      `needs a role without abilities, for people to whom the claims give none: GUEST: []; there are ${names.join(', ')}`,
    )
}

/**
 * Resolves the settings for an application with these roles. Throws `StartError` for an unknown
 * role.
 */
export function settleRoles({ settings, accounts, oidcProviders }: ReadSettings, roles: Roles): ServiceSettings {
  const { names } = roles
  // An application without users refuses such providers anyway.
  for (const { name, roleMapping } of names.length === 0 ? [] : oidcProviders) {
    if (roleMapping) checkLowest(rolesVariable(name), roles)
    if ([...(roleMapping?.roles.values() ?? [])].every((role) => names.includes(role))) continue
    const pairs = names
      .slice(-2)
      .toReversed()
      .map((role) => `${role.toLowerCase()}s=${role}`)
    const example = `groups:${pairs.join(',')}`
    fail(rolesVariable(name), `must be a claim, and what of it gives which of ${names.join(', ')}: ${example}`)
  }
  const needing = mfaFor(accounts, roles)
  return needing === undefined ? settings : { ...settings, mfaFor: needing }
}
