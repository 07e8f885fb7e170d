/**
 * The memberships of a caller, read with the credential: by them rules judge without a join. A
 * write to one of them makes them be read again. A membership of a group has the group's tenant,
 * and counts only for members of that tenant.
 */
import type { CallerSource, SharedTable } from '../accounts/caller-source.ts'
import { limits } from '../limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import type { CallerMembership } from '../resource/principal.ts'
import { leadingTo } from '../resource/tenancy/in-tenant.ts'
import type { MemberTable } from '../resource/tenancy/tenancies.ts'
import type { ReadStorage } from '../storage/storage.ts'

/** The memberships that count. */
export function activeMemberships({ status, activeStatus }: MemberTable): Condition {
  return status === undefined ? all() : equal(status, activeStatus as Scalar)
}

type ListStorage = Pick<ReadStorage, 'list'>

function first(resource: Resource, where: Condition) {
  const sort = [{ field: resource.idField, descending: false }]
  return { where, sort, limit: limits.membershipsOfUserMax }
}

type MembershipRead = { readonly table: MemberTable; readonly userId: string; readonly where?: Condition }

async function read(
  storage: ListStorage,
  { table, userId, where = all() }: MembershipRead,
): Promise<readonly CallerMembership[]> {
  const { resource, by, user, role } = table
  const rows = await storage.list(resource, first(resource, all(equal(user, userId), activeMemberships(table), where)))
  return rows
    .filter((row) => row[by] !== null && row[role] !== null)
    .map((row) => ({ id: row[by] as Scalar, role: row[role] as string }))
}

/**
 * The memberships of groups in these tenants. Where there are too many, those of the first tenants
 * count: the user joined them before the tenants of strangers who would fill the limit.
 */
async function readInGroups(
  storage: ListStorage,
  reading: MembershipRead,
  tenants: readonly Scalar[],
): Promise<readonly CallerMembership[]> {
  const { scope } = reading.table.resource
  if (!scope || tenants.length === 0) return []
  const where = leadingTo(scope, { kind: 'in', field: scope.field, values: tenants })
  const found = await read(storage, { ...reading, where })
  if (found.length < limits.membershipsOfUserMax || tenants.length === 1) return found
  const half = Math.ceil(tenants.length / 2)
  const earlier = await readInGroups(storage, reading, tenants.slice(0, half))
  if (earlier.length >= limits.membershipsOfUserMax) return earlier
  const later = await readInGroups(storage, reading, tenants.slice(half))
  return [...earlier, ...later].slice(0, limits.membershipsOfUserMax)
}

/** The references on the way from a group to its tenant, with the resources that have them. */
function wayOf(catalog: Catalog, { of }: MemberTable): readonly SharedTable[] {
  let at = of
  return (of.tenant?.path ?? []).map((field) => {
    const resource = at
    at = catalog.get(at.fields[field]?.reference?.resource ?? '')
    return { resource, fields: [field] }
  })
}

/** Memberships of groups with their tenants, but none where the user is no member of the tenant. */
async function withTenants(
  storage: ListStorage,
  way: readonly SharedTable[],
  { inGroups, inTenants }: Readonly<Record<'inGroups' | 'inTenants', readonly CallerMembership[]>>,
): Promise<readonly CallerMembership[]> {
  if (inGroups.length === 0 || inTenants.length === 0) return []
  let found = inGroups.map((one) => ({ ...one, tenant: one.id }))
  for (const { resource, fields } of way) {
    const [field = ''] = fields
    const values = [...new Set(found.map(({ tenant }) => tenant))]
    const rows = await storage.list(resource, first(resource, { kind: 'in', field: resource.idField, values }))
    const leads = new Map(rows.map((row) => [row[resource.idField], row[field] as Scalar | null]))
    found = found.flatMap((one) => {
      const tenant = leads.get(one.tenant) ?? null
      return tenant === null ? [] : [{ ...one, tenant }]
    })
  }
  const own = new Set(inTenants.map(({ id }) => id))
  return found.filter(({ tenant }) => own.has(tenant))
}

async function readTenancy(
  { members, groups, ways }: TenancyWays,
  storage: ListStorage,
  userId: string,
): Promise<readonly (readonly [string, readonly CallerMembership[]])[]> {
  const inTenants = await read(storage, { table: members, userId })
  const ofGroups = groups.map(async (group, at) => {
    const ids = inTenants.map(({ id }) => id)
    const inGroups = await readInGroups(storage, { table: group, userId }, ids)
    return [
      group.of.name,
      await withTenants(storage, ways[at] as readonly SharedTable[], { inGroups, inTenants }),
    ] as const
  })
  return [[members.of.name, inTenants], ...(await Promise.all(ofGroups))]
}

/** The members of one tenancy and of its groups. `ways`: from each group to its tenant. */
type TenancyWays = {
  readonly members: MemberTable
  readonly groups: readonly MemberTable[]
  readonly ways: readonly (readonly SharedTable[])[]
}

/** The facts of callers in an application with tenants; none in any other. */
export function callerMemberships(catalog: Catalog): readonly CallerSource[] {
  if (catalog.tenancies.size === 0) return []
  const tenancies = [...catalog.tenancies.values()].map(({ members, groups }): TenancyWays => {
    const tables = [...groups.values()]
    return { members, groups: tables, ways: tables.map((group) => wayOf(catalog, group)) }
  })
  return [
    {
      tables: [...catalog.memberTables.values()].map(({ resource, by, user, role, status }) => ({
        resource,
        owner: user,
        fields: [by, role, ...(status === undefined ? [] : [status])],
      })),
      shared: tenancies.flatMap(({ ways }) => ways.flat()),
      async read(storage, { principal: { userId } }) {
        const lists = await Promise.all(tenancies.map((one) => readTenancy(one, storage, userId)))
        return { memberships: Object.fromEntries(lists.flat()) }
      },
    },
  ]
}
