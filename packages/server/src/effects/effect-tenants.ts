/**
 * The code of an effect is in the tenant of its record. Where other records lead to it, the write
 * stores the tenant with the effect, because they may be gone when it runs.
 */
import type { RecordTransaction } from '../record/record-store.ts'
import { tenantOf } from '../record/references/tenant-of-record.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Values } from '../storage/storage.ts'

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
