/**
 * The tenant that the code of an effect is in: that of its record. Where other records lead to it,
 * the write stores the tenant with the effect, because they may be gone when it runs.
 */
import type { RecordTransaction } from '../record/record-store.ts'
import { tenantOf } from '../record/references/tenant-of-record.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { RequestTenant } from '../resource/principal.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import { tenancyOf } from '../resource/tenancy/in-code-tenants.ts'
import type { Reader, Values } from '../storage/storage.ts'

/** The tenants of these rows; undefined where each row names its own, or belongs to none. */
export async function storedTenants(
  tx: RecordTransaction,
  resource: Resource,
  rows: readonly Values[],
): Promise<readonly (Scalar | null)[] | undefined> {
  const step = resource.scope?.via[0]
  if (!step) return undefined
  const byStep = new Map<unknown, Scalar | null>()
  for (const row of rows) {
    const id = row[step.field]
    if (!byStep.has(id)) byStep.set(id, await tenantOf({ catalog: tx.catalog, find: tx.find }, resource, row))
  }
  return rows.map((row) => byStep.get(row[step.field]) ?? null)
}

type EffectSubject = {
  readonly resource: Resource
  readonly record: Values
  /** As the write stored it. */
  readonly stored: Scalar | null | undefined
  /** The one that the request named. */
  readonly named: RequestTenant | undefined
}

/** Undefined in an application without tenants. */
export function tenantsOfEffect(
  { catalog, find }: Pick<Reader, 'find'> & { readonly catalog: Catalog },
  { resource, record, stored, named }: EffectSubject,
): FindCodeTenants | undefined {
  if (catalog.tenancies.size === 0) return undefined
  return async () => {
    const tenants = new Map<string, Scalar | null>(named ? [[named.name, named.id]] : [])
    const tenancy = tenancyOf(resource)
    if (tenancy === undefined) return tenants
    if (resource.scope) tenants.set(tenancy, stored ?? (await tenantOf({ catalog, find }, resource, record)))
    else tenants.set(tenancy, record[resource.idField] as Scalar)
    return tenants
  }
}
