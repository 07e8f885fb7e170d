/**
 * Completes the resources of memberships by their tenancy: the words of their role, their tenant,
 * and one membership for each user and tenant.
 */

import type { DeclaredResource } from '../define.ts'
import { type DeclaredConsole, isConsole } from '../display/define-console.ts'
import type { Field } from '../fields/field.ts'
import { withMade } from '../made/made-resources.ts'
import { type DeclaredPart, isPart } from '../parts/application-part.ts'
import { findUsers } from '../rules/roles.ts'
import { type Declared, type DeclaredTenancy, isTenancy } from './define-tenancy.ts'
import { invitationTable } from './invitation-table.ts'
import { referencesTo, type TenantedResource, tenantFieldOf } from './tenant-path.ts'
import { type DeclaredMembers, declaredMembers } from './tenant-words.ts'

/**
 * The reference of a membership to the tenant or the group. It is the only one there is, or the one
 * that the resource names as its `tenant`.
 */
export function memberReference(members: Pick<TenantedResource, 'fields' | 'tenant'>, of: string): string | undefined {
  const references = referencesTo(members, of)
  const named = tenantFieldOf(members.tenant)
  return named !== undefined && references.includes(named) ? named : references.length === 1 ? references[0] : undefined
}

function completed(members: DeclaredResource, { of, said: { user, role, roles } }: DeclaredMembers): DeclaredResource {
  const by = memberReference(members, of)
  const field = Object.hasOwn(members.fields, role) ? members.fields[role] : undefined
  const filled: Record<string, Field> = field?.takesRoles ? { [role]: { ...field, values: roles } } : {}
  const fields = { ...members.fields, ...filled }
  if (by === undefined || by === user || !Object.hasOwn(members.fields, user)) return { ...members, fields }
  const unique = members.unique ?? []
  const isOnce = unique.some((key) => key.length === 2 && key.includes(by) && key.includes(user))
  return { ...members, fields, tenant: members.tenant ?? by, unique: isOnce ? unique : [...unique, [by, user]] }
}

export type SplitDeclarations = {
  readonly resources: readonly DeclaredResource[]
  readonly tenancies: readonly DeclaredTenancy[]
  readonly consoles: readonly DeclaredConsole[]
  readonly parts: readonly DeclaredPart[]
}

/** The resources of invitations that the tenancies want. */
function invitationTables(
  tenancies: readonly DeclaredTenancy[],
  resources: readonly DeclaredResource[],
): readonly DeclaredResource[] {
  const users = findUsers(resources)?.name
  return tenancies.flatMap((tenancy) => {
    const { invitations: rule } = tenancy.declaration
    return rule === undefined || users === undefined ? [] : [invitationTable(tenancy, { users, rule })]
  })
}

/**
 * The resources of a list, completed and with those of the engine, its tenancies and parts. Every
 * form is right.
 */
export function splitDeclarations(list: readonly Declared[]): SplitDeclarations {
  const tenancies = list.filter(isTenancy)
  const known = new Map(tenancies.flatMap(declaredMembers).map((one) => [one.said.members, one]))
  const consoles = list.filter(isConsole)
  const parts = list.filter(isPart)
  const isOther = (one: Declared) => isTenancy(one) || isConsole(one) || isPart(one)
  const resources = list.filter((one) => !isOther(one)) as readonly DeclaredResource[]
  if (known.size === 0) return { resources: withMade(resources, tenancies), tenancies, consoles, parts }
  const whole = resources.map((one) => {
    const members = known.get(one.name)
    return members ? completed(one, members) : one
  })
  const all = [...whole, ...invitationTables(tenancies, resources)]
  return { tenancies, consoles, parts, resources: withMade(all, tenancies) }
}
