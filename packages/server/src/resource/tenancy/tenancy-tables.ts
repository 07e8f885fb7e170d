/**
 * Resolves the tenancies of a catalog: the resources of tenants and groups, and the meaning of the
 * fields of their memberships. It knows of a resource (`R`) only what is here, so the catalog can
 * import it; others import `tenancies.ts`.
 */
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import type { Rule } from '../rule.ts'
import { makeRoles, type Roles } from '../rules/role-order.ts'
import { memberReference, type SplitDeclarations } from './apply-tenancies.ts'
import type { DeclaredTenancy } from './define-tenancy.ts'
import { invitationName, invitationTenant } from './invitation-table.ts'
import { tenantPathOf } from './tenant-path.ts'
import { type DeclaredMembers, declaredMembers, tenantNames } from './tenant-words.ts'

type ResolvedResource = {
  readonly fields: Readonly<Record<string, Field>>
  readonly name: string
  readonly tenant: ResourceTenant | undefined
}

/** The memberships of a tenant, or of a group within one. */
export type MemberTableOf<R> = {
  /** The resource whose records have the members: of tenants, or of groups. */
  readonly of: R
  /** The resource of the memberships. */
  readonly resource: R
  /** The reference of a membership to the tenant or the group. */
  readonly by: string
  /** The reference to the user. */
  readonly user: string
  readonly role: string
  readonly roles: Roles
  /** The field that says whether a membership counts, and its value then. */
  readonly status: string | undefined
  readonly activeStatus: string | undefined
}

export type TenancyOf<R> = {
  /** The resource of tenants. */
  readonly tenant: R
  readonly members: MemberTableOf<R>
  /** By the name of the resource of groups. */
  readonly groups: ReadonlyMap<string, MemberTableOf<R>>
  /** The callers above all tenants. */
  readonly operator: Rule | undefined
  /** The resource of invitations; undefined where none are sent. */
  readonly invitations: InvitationTableOf<R> | undefined
}

/** The meaning of its fields is in `invitationFields`. `by`: the reference to the tenant. */
export type InvitationTableOf<R> = { readonly resource: R; readonly by: string }

/** How the records of a resource belong to tenants. */
export type ResourceTenant = {
  /** The resource of tenants, by which `catalog.tenancies` has the tenancy. */
  readonly tenancy: string
  /** The references that lead to the tenant; none for a tenant itself. */
  readonly path: readonly string[]
  /** Whether callers who are no member may reach its records. */
  readonly isPublic: boolean
}

/** The way of the records of each resource to their tenant. */
export function resolveTenants({ resources, tenancies }: SplitDeclarations) {
  const byName = new Map(resources.map((one) => [one.name, one]))
  const tenants = tenantNames(tenancies)
  return (declared: DeclaredResource): ResourceTenant | undefined => {
    const found = tenantPathOf(declared, { byName, tenants })
    if (!found || 'problem' in found) return undefined
    const { tenant } = declared
    return { ...found, isPublic: typeof tenant === 'object' && tenant.public === true }
  }
}

type ByName<R> = ReadonlyMap<string, R>

function memberTable<R extends ResolvedResource>(
  resources: ByName<R>,
  { of, said }: DeclaredMembers,
): MemberTableOf<R> {
  const resource = resources.get(said.members) as R
  const { user, role, roles, status, activeStatus } = said
  return {
    of: resources.get(of) as R,
    resource,
    by: memberReference({ fields: resource.fields, tenant: resource.tenant?.path[0] }, of) as string,
    user,
    role,
    roles: makeRoles(roles),
    status,
    activeStatus,
  }
}

/** The tenancies by the name of the resource of tenants. */
function resolveTenancies<R extends ResolvedResource>(
  declared: readonly DeclaredTenancy[],
  resources: ByName<R>,
): ReadonlyMap<string, TenancyOf<R>> {
  return new Map(
    declared.map((tenancy) => {
      const [members, ...groups] = declaredMembers(tenancy).map((one) => memberTable(resources, one))
      const own = members as MemberTableOf<R>
      const invitation = resources.get(invitationName(tenancy.tenancyOf))
      const resolved: TenancyOf<R> = {
        tenant: own.of,
        members: own,
        groups: new Map(groups.map((one) => [one.of.name, one])),
        operator: tenancy.declaration.operator,
        invitations: invitation && { resource: invitation, by: invitationTenant(tenancy.tenancyOf) },
      }
      return [tenancy.tenancyOf, resolved]
    }),
  )
}

/** The part of a catalog about tenants. */
export type TenancyCatalog<R> = {
  /** By the name of the resource of tenants. */
  readonly tenancies: ReadonlyMap<string, TenancyOf<R>>
  /** All memberships, by the name of the resource of tenants or groups. */
  readonly memberTables: ReadonlyMap<string, MemberTableOf<R>>
  /** The resources of invitations of all tenancies. */
  readonly invitations: readonly InvitationTableOf<R>[]
}

/** The tenancies of a catalog. Their declarations were checked. */
export function tenancyCatalog<R extends ResolvedResource>(
  declared: readonly DeclaredTenancy[],
  resources: ByName<R>,
): TenancyCatalog<R> {
  const tenancies = resolveTenancies(declared, resources)
  const all = [...tenancies.values()]
  const tables = all.flatMap(({ members, groups }) => [members, ...groups.values()])
  return {
    tenancies,
    memberTables: new Map(tables.map((one) => [one.of.name, one])),
    invitations: all.flatMap(({ invitations }) => invitations ?? []),
  }
}
