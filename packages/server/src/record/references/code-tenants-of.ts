/**
 * Finds the tenants that code is in, and makes the bounds of its writes. A record of another tenant
 * does not exist for a reference, and a new record is one of the tenant.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { CodeTenants, FindCodeTenants } from '../../resource/tenancy/code-tenants.ts'
import { inCodeTenants, tenancyOf } from '../../resource/tenancy/in-code-tenants.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { Author } from '../../storage/changes.ts'
import type { Reader, Values } from '../../storage/storage.ts'
import type { CodeSubject, ReferenceBounds } from '../write-context.ts'
import { refersToNone } from './referable.ts'
import { tenantFromReferences, tenantOf } from './tenant-of-record.ts'

type FindingContext = {
  readonly catalog: Catalog
  readonly author: Pick<Author, 'tenant'>
  readonly bounds: ReferenceBounds | undefined
  readonly transaction: Pick<Reader, 'find'>
}

/** Of a draft, only records that exist for its writer lead to a tenant. */
async function tenantOfDraft(context: FindingContext, { resource, row }: CodeSubject): Promise<Scalar | null> {
  const { catalog, transaction, bounds } = context
  const own = ownTenantField(resource)
  if (own !== undefined)
    return (row[own] as Scalar | null | undefined) ?? (await tenantFromReferences(context, resource, row))
  const step = resource.scope?.via[0]
  const id = step && ((row[step.field] ?? null) as Scalar | null)
  if (!step || id === null || id === undefined) return null
  const target = catalog.get(step.resource)
  const seen = bounds?.referable(target)
  const found = await transaction.find(target, all(equal(target.idField, id), ...(seen ? [seen] : [])))
  return found ? tenantOf({ catalog, find: transaction.find }, resource, row) : null
}

async function tenantOfSubject(context: FindingContext, subject: CodeSubject): Promise<Scalar | null> {
  const { resource, row, isNew = false, tenant } = subject
  if (!resource.scope) return (row[resource.idField] ?? null) as Scalar | null
  if (isNew) return tenantOfDraft(context, subject)
  const { catalog, transaction } = context
  return tenant ?? tenantOf({ catalog, find: transaction.find }, resource, row)
}

/** Undefined in an application without tenants, which pays nothing. */
export function codeTenantsOf(context: FindingContext, subject: CodeSubject): FindCodeTenants | undefined {
  const { catalog, author } = context
  if (catalog.tenancies.size === 0) return undefined
  let found: Promise<CodeTenants> | undefined
  async function find(): Promise<CodeTenants> {
    const tenants = new Map<string, Scalar | null>(author.tenant ? [[author.tenant.name, author.tenant.id]] : [])
    const tenancy = tenancyOf(subject.resource)
    if (tenancy !== undefined) tenants.set(tenancy, await tenantOfSubject(context, subject))
    return tenants
  }
  return () => {
    found ??= find()
    return found
  }
}

/** The bounds of writes by code in these tenants. */
export function boundsOfCode({ catalog }: { readonly catalog: Catalog }, tenants: CodeTenants): ReferenceBounds {
  const seen = (resource: Resource) => inCodeTenants(catalog, resource, tenants)
  return {
    referable: (resource) => (resource.tenant ? seen(resource) : undefined),
    seen,
    readable: seen,
  }
}

/**
 * The values of a new record, in the tenant of the code. Throws `bad-request` for another tenant,
 * as for one that does not exist, and an `Error` for a new tenant.
 */
export function inOwnTenant(
  { catalog, tenants }: { readonly catalog: Catalog; readonly tenants: CodeTenants },
  resource: Resource,
  values: Values,
): Values {
  const tenancy = tenancyOf(resource)
  const id = tenancy === undefined ? undefined : tenants.get(tenancy)
  if (tenancy === undefined || id === undefined) return values
  if (!resource.scope)
    throw new Error(`records(${resource.name}).create makes another ${resource.name}, which records.system can do`)
  const own = ownTenantField(resource)
  if (own === undefined) return values
  const given = values[own] ?? undefined
  if (given === undefined) return id === null ? values : { ...values, [own]: id }
  if (given !== id) throw refersToNone(own, catalog.get(tenancy))
  return values
}
