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

/** The lowest of the roles: the higher ones need a second factor too. */
function mfaFrom({ mfa }: ReadSettings['accounts'], { names, lowest }: Roles): string | undefined {
  if (mfa === undefined || mfa === 'required') return mfa && lowest
  const wrong = mfa.find((one) => !names.includes(one))
  if (wrong !== undefined) fail('MFA', `must be off, required, or roles of ${names.join(', ')}; ${wrong} is none`)
  return names.find((role) => mfa.includes(role))
}

/**
 * Resolves the settings for an application with these roles. Throws `StartError` for an unknown
 * role.
 */
export function settleRoles({ settings, accounts, oidcProviders }: ReadSettings, roles: Roles): ServiceSettings {
  const { names } = roles
  // An application without users refuses such providers anyway.
  for (const { name, roleMapping } of names.length === 0 ? [] : oidcProviders) {
    if ([...(roleMapping?.roles.values() ?? [])].every((role) => names.includes(role))) continue
    const pairs = names
      .slice(-2)
      .toReversed()
      .map((role) => `${role.toLowerCase()}s=${role}`)
    const example = `groups:${pairs.join(',')}`
    fail(rolesVariable(name), `must be a claim, and what of it gives which of ${names.join(', ')}: ${example}`)
  }
  const from = mfaFrom(accounts, roles)
  return from === undefined ? settings : { ...settings, mfaFrom: from }
}
