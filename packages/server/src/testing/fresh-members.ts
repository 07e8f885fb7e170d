/** Callers of the permission matrix who are members of the tenant of the requested record. */
import type { Catalog } from '../resource/catalog.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { insertFresh, type SampleCaller, type SampleMaker } from './fresh-records.ts'
import type { FreshTenants } from './fresh-tenants.ts'

/** `club:COACH`, for each role of each tenancy, the lowest first. */
export function memberColumns({ tenancies }: Catalog): readonly string[] {
  return [...tenancies].flatMap(([name, { members }]) => members.roles.names.map((role) => `${name}:${role}`))
}

/** Makes the person a member, where the column says so and the request is about a tenant. */
export async function joinTenant(
  maker: SampleMaker,
  { id }: SampleCaller,
  { column, tenants }: { readonly column: string; readonly tenants: FreshTenants },
): Promise<void> {
  const [name = '', role] = column.split(':')
  const members = maker.engine.catalog.tenancies.get(name)?.members
  const tenant = tenants.get(name)
  if (!members || role === undefined || tenant === undefined) return
  const { resource, by, user, status, activeStatus } = members
  const given = {
    [by]: tenant,
    [user]: id,
    [members.role]: role,
    ...(status !== undefined && { [status]: activeStatus }),
  }
  await maker.engine.records.transaction(serviceAuthor, (tx) =>
    insertFresh(maker, tx, { resource, ownerId: id, given }),
  )
}
