/**
 * Gives new records the numbers that the engine counts (`autoNumber`), right before they are
 * stored. The later a series is locked, the shorter other writers wait for it.
 */
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { NumberSeries, Values } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'

type Numbered = { readonly resource: Resource; readonly name: string; readonly time: string }
type Draft = Record<string, unknown>

/** The series of the field, without its tenant. */
function seriesOf({ resource, name, time }: Numbered): Omit<NumberSeries, 'tenant'> & { readonly size: number } {
  const field = resource.fields[name] as Field
  const { base, size } = field.type.series as NonNullable<Field['type']['series']>
  return { resource, field: name, base: base(field, time), size }
}

function tenantOf({ resource, name }: Numbered, row: Values): Scalar | null {
  const field = resource.fields[name] as Field
  const own = ownTenantField(resource)
  return own !== undefined && field.type.series?.isPerTenant(field) ? (row[own] as Scalar) : null
}

/**
 * In the order of the records. Tenants follow one another by their ids, so that two writes of
 * several tenants do not wait for each other.
 */
async function countOne({ transaction }: WriteContext, numbered: Numbered, rows: readonly Draft[]): Promise<void> {
  const { resource, name } = numbered
  const without = rows.filter((row) => (row[name] ?? null) === null)
  const groups = [...Map.groupBy(without, (row) => tenantOf(numbered, row))]
  for (const [tenant, group] of groups.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))) {
    const { size, ...series } = seriesOf(numbered)
    const last = await transaction.takeNumbers({ ...series, tenant }, group.length)
    if (last >= series.base + size)
      throw new ApiError('conflict', `No ${name} is left for another ${inSentence(resource.label)}`)
    for (const [i, row] of group.entries()) row[name] = last - group.length + 1 + i
  }
}

/** The rows with their numbers. A number that was given stays. */
export async function countNumbers<R extends Values>(
  context: WriteContext,
  resource: Resource,
  rows: readonly R[],
): Promise<readonly R[]> {
  if (resource.numberedNames.length === 0 || rows.length === 0) return rows
  const numbered = rows.map((row) => ({ ...row }))
  for (const name of resource.numberedNames) await countOne(context, { resource, name, time: context.now }, numbered)
  return numbered
}
