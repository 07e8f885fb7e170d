/**
 * The memberships that a member may change and remove, as a condition: those of a role that it may
 * give, and its own. `granted-memberships.ts` refuses the others.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, any, type Condition, equal, never, not, type Scalar } from '../resource/condition.ts'
import type { Principal, UserPrincipal } from '../resource/principal.ts'
import type { MemberTable, Tenancy } from '../resource/tenancy/tenancies.ts'

/** The tenants or groups of the caller, by the role there. */
function placesOf({ of }: MemberTable, { memberships }: UserPrincipal): ReadonlyMap<string, readonly Scalar[]> {
  const roles = new Map((memberships?.[of.name] ?? []).toReversed().map(({ id, role }) => [id, role] as const))
  const byRole = new Map<string, Scalar[]>()
  for (const [id, role] of roles) byRole.set(role, [...(byRole.get(role) ?? []), id])
  return byRole
}

type TenantWay = { readonly resource: Resource; readonly path: readonly string[]; readonly ids: readonly Scalar[] }

/** The records of these tenants, by the way of each record to its tenant. */
function inTenants(catalog: Catalog, { resource, path, ids }: TenantWay): Condition {
  const [field, ...rest] = path
  if (field === undefined || ids.length === 0) return never
  if (rest.length === 0) return { kind: 'in', field, values: ids }
  const above = catalog.get(resource.fields[field]?.reference?.resource ?? '')
  return {
    kind: 'related',
    field,
    resource: above.name,
    where: inTenants(catalog, { resource: above, path: rest, ids }),
  }
}

type GrantPlace = { readonly catalog: Catalog; readonly tenancy: Tenancy; readonly table: MemberTable }

export function grantable({ catalog, tenancy, table }: GrantPlace, caller: Principal): Condition {
  if (caller.kind !== 'user') return never
  const { resource, by, role, user, roles } = table
  const byRole = placesOf(table, caller)
  const below = [...byRole].map(([held, ids]) => {
    const reached = roles.names.filter((one) => roles.reaches(held, one))
    return all({ kind: 'in', field: by, values: ids }, { kind: 'in', field: role, values: reached })
  })
  const elsewhere = not({ kind: 'in', field: by, values: [...byRole.values()].flat() })
  const own = equal(user, caller.userId)
  const { members } = tenancy
  if (table === members) return any(own, ...below, all(elsewhere, equal(role, roles.lowest)))
  const ids = placesOf(members, caller).get(members.roles.highest) ?? []
  return any(own, ...below, elsewhere, inTenants(catalog, { resource, path: resource.tenant?.path ?? [], ids }))
}
