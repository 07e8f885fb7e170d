/**
 * The records that a reference may name in an application with tenants. A record of a tenant refers
 * to records of that tenant alone, and a caller to those that exist for the caller. Others are
 * refused as records that do not exist.
 */
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { ofTenant } from '../../resource/tenancy/in-tenant.ts'
import { firstTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { Values } from '../../storage/storage.ts'
import type { ReferenceContext } from '../write-context.ts'
import { isAboveTenants, tenantOf } from './tenant-of-record.ts'

type NamingRow = {
  readonly resource: Resource
  /** The final values of the record that refers. */
  readonly row: Values
  readonly name: string
  readonly target: Resource
}

/** Undefined where every record will do: at once where the named records belong to no tenant. */
export function tenantBounds(context: ReferenceContext, naming: NamingRow): Promise<Condition | undefined> | undefined {
  const isFree = naming.target.tenant === undefined || isAboveTenants(context)
  return isFree ? undefined : boundsOf(context, naming)
}

async function boundsOf(
  context: ReferenceContext,
  { resource, row, name, target }: NamingRow,
): Promise<Condition | undefined> {
  const { bounds, catalog, transaction } = context
  const isWay = name === firstTenantField(resource)
  // The tenant itself was looked at with the values of the record (`settleTenant`).
  if (isWay && catalog.tenancies.has(target.name)) return undefined
  const seen = bounds?.referable(target)
  const isShared = resource.scope !== undefined && resource.scope.tenancy === target.scope?.tenancy && !isWay
  const tenant = isShared ? await tenantOf({ catalog, find: transaction.find }, resource, row) : null
  const shared = target.scope && tenant !== null ? ofTenant(target.scope, tenant) : undefined
  const both = [seen, shared].filter((one) => one !== undefined)
  return both.length === 0 ? undefined : all(...both)
}
