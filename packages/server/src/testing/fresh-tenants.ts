/** The tenants of generated records: all that are generated together share them. */
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import { ownTenantField } from '../resource/tenancy/scope-resource.ts'

/** By the resource of tenants. */
export type FreshTenants = Map<string, unknown>

type GivenRecord = { readonly resource: Resource; readonly given?: Readonly<Record<string, unknown>> }

/** The tenants that the given values name, by themselves or by the records that they refer to. */
export async function tenantsGiven(
  tx: RecordTransaction,
  { resource, given = {} }: GivenRecord,
): Promise<FreshTenants> {
  const found: FreshTenants = new Map()
  for (const [name, id] of Object.entries(given)) {
    const reference = resource.fields[name]?.reference
    if (!reference || id === null || !resource.scope) continue
    const target = tx.catalog.get(reference.resource)
    const own = ownTenantField(target)
    if (tx.catalog.tenancies.has(target.name)) found.set(target.name, id)
    else if (own !== undefined && target.scope) {
      const row = (await tx.find(target, equal(target.idField, id as Scalar)))?.row
      if (row) found.set(target.scope.tenancy, row[own])
    }
  }
  return found
}
