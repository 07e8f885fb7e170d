/**
 * The tenants that code of an application is in: that of the record it is about, and the one that
 * the request names. Its `records(things)` finds and writes records of these alone.
 */
import type { Catalog, Resource } from '../catalog.ts'
import { always, type Condition, equal, never, type Scalar } from '../condition.ts'
import { ofTenant } from './in-tenant.ts'
import { findKeyTenancy } from './scope-resource.ts'

/**
 * The resource of tenants → the id of the tenant; null where the record leads to none, so that no
 * record of any tenant exists. A tenancy that is absent bounds nothing.
 */
export type CodeTenants = ReadonlyMap<string, Scalar | null>

/** Looked up when the code first asks for records. */
export type FindCodeTenants = () => Promise<CodeTenants>

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
