/** The records that exist for code in the tenants that it is in. */
import type { Catalog, Resource } from '../catalog.ts'
import { always, type Condition, equal, never } from '../condition.ts'
import type { CodeTenants } from './code-tenants.ts'
import { ofTenant } from './in-tenant.ts'
import { findKeyTenancy } from './scope-resource.ts'

/** The resource of tenants that a record of this resource belongs to, or is one of. */
export function tenancyOf({ tenant, scope }: Pick<Resource, 'tenant' | 'scope'>): string | undefined {
  return scope?.tenancy ?? tenant?.tenancy
}

/** The records of a resource that exist for code in these tenants. */
export function inCodeTenants(
  { tenancies }: Pick<Catalog, 'tenancies'>,
  resource: Resource,
  tenants: CodeTenants,
): Condition {
  const { scope, identity, idField } = resource
  const key = identity?.kind === 'api-key' ? findKeyTenancy(resource, tenancies) : undefined
  const tenancy = tenancyOf(resource) ?? key?.tenancy
  const id = tenancy === undefined ? undefined : tenants.get(tenancy)
  if (id === undefined) return always
  if (id === null) return never
  return scope ? ofTenant(scope, id) : equal(key?.field ?? idField, id)
}
