/**
 * The memberships of a caller, read with the credential: by them rules judge without a join. A
 * write to one of them makes them be read again.
 */
import type { CallerSource } from '../accounts/caller-source.ts'
import { limits } from '../limits.ts'
import type { Catalog } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import type { CallerMembership } from '../resource/principal.ts'
import type { MemberTable } from '../resource/tenancy/tenancies.ts'
import type { ReadStorage, Row } from '../storage/storage.ts'

/** The memberships that count. */
export function activeMemberships({ status, activeStatus }: MemberTable): Condition {
  return status === undefined ? all() : equal(status, activeStatus as Scalar)
}

function membershipOf({ by, role }: MemberTable, row: Row): CallerMembership {
  return { id: row[by] as Scalar, role: row[role] as string }
}

async function read(
  storage: Pick<ReadStorage, 'list'>,
  table: MemberTable,
  userId: string,
): Promise<readonly CallerMembership[]> {
  const { resource, by, user, role } = table
  const rows = await storage.list(resource, {
    where: all(equal(user, userId), activeMemberships(table)),
    sort: [{ field: resource.idField, descending: false }],
    limit: limits.membershipsOfUserMax,
  })
  return rows.filter((row) => row[by] !== null && row[role] !== null).map((row) => membershipOf(table, row))
}

/** The facts of callers in an application with tenants; none in any other. */
export function callerMemberships({ memberTables }: Pick<Catalog, 'memberTables'>): readonly CallerSource[] {
  const tables = [...memberTables.values()]
  if (tables.length === 0) return []
  return [
    {
      tables: tables.map(({ resource, by, user, role, status }) => ({
        resource,
        owner: user,
        fields: [by, role, ...(status === undefined ? [] : [status])],
      })),
      async read(storage, { principal: { userId } }) {
        const lists = await Promise.all(
          tables.map(async (table) => [table.of.name, await read(storage, table, userId)] as const),
        )
        return { memberships: Object.fromEntries(lists) }
      },
    },
  ]
}
