/**
 * Limits sign-ups: users made by anonymous callers. Each costs a hash and a row, so an address may
 * make only so many.
 */
import { isOpen } from '../../policy/passing-roles.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../../resource/catalog.ts'
import type { Principal } from '../../resource/principal.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import type { Identity } from '../identity.ts'

/** Whether an operator makes the users that the caller makes. */
export function isOperator({ roles }: Catalog, caller: Principal): boolean {
  return caller.kind === 'user' && (caller.via === 'console' || roles.reaches(caller.role, roles.operator))
}

type SignUpDeps = { readonly catalog: Catalog; readonly settings: ServiceSettings; readonly identity: () => Identity }

/** Throws `too-many-requests`. */
export function limitSignUps(
  { resource }: MarkedTable<LoginMark>,
  { catalog, settings, identity }: SignUpDeps,
): WriteStep {
  const rule = resource.access.create
  const isAnyones = rule !== undefined && isOpen(rule, { catalog, settings, resource })
  return {
    name: 'sign-ups',
    resources: [resource],
    async check({ kind, caller, address }) {
      if (kind === 'create' && address !== undefined && isAnyones && !isOperator(catalog, caller))
        await identity().takeSignUp(address)
    },
  }
}
