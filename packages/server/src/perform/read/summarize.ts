/**
 * Computes a summary: the database groups and adds, and this file turns its results into exact
 * numbers, as stored values. The rule's condition is part of the query, as in a list: records that
 * the caller may not see are not counted.
 */
import { ApiError } from '../../errors.ts'
import type { Measure } from '../../operation/measures.ts'
import type { SummaryOperation } from '../../operation/operation.ts'
import { summaryLimits } from '../../operation/summary.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all } from '../../resource/condition.ts'
import type { Field, Json } from '../../resource/fields/field.ts'
import type { Sums } from '../../resource/fields/numbers/number-facts.ts'
import { fieldOfKey } from '../../resource/relations/far-field.ts'
import { compareSorted } from '../../storage/derived/sort-order.ts'
import type { SummaryRow } from '../../storage/storage.ts'
import { type Represented, representValue } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import type { SummaryGroup, SummaryResult } from '../result.ts'
import { resolveUnder } from './find.ts'
import { summarizeInZone } from './group-in-zone.ts'

function tooLarge(field: string): ApiError {
  return new ApiError('bad-request', `The sum of ${field} is too large to be exact; narrow it by a filter`)
}

const isBeyond = (sum: bigint, { sumMax }: Sums) => sumMax !== undefined && (sum > sumMax || sum < -sumMax)

/**
 * The stored value of a measure: null where no record of the group has a value, but the sum of none
 * is 0. Throws `bad-request` for a sum that no stored value of its type has.
 */
function measured(resource: Resource, { kind, field }: Measure, row: SummaryRow): unknown {
  const { adds } = (resource.fields[field] as Field).type
  const sum = row.sums.get(field)
  switch (kind) {
    case 'sum': {
      const whole = sum?.sum ?? 0n
      if (adds?.isLong) return whole
      if (adds && isBeyond(whole, adds)) throw tooLarge(field)
      return Number(whole)
    }
    case 'average':
      return sum && sum.values > 0 ? (adds?.average(sum.sum, sum.values) ?? null) : null
    case 'least':
    case 'most':
      return row.ends.get(field)?.[kind] ?? null
  }
}

type GroupNames = ReadonlyMap<string, unknown>

/** Stored values by name: groups, `count`, `sum.price`. */
function namedOf({ resource, groups, measures }: SummaryOperation, row: SummaryRow): GroupNames {
  return new Map<string, unknown>([
    ...groups.map(({ name }, i) => [name, row.group[i]] as const),
    ['count', row.count],
    ...measures.map((measure) => [measure.name, measured(resource, measure, row)] as const),
  ])
}

/** `{ category: 'Kitchen', count: 12, sum: { price: 1230 } }` */
function groupOf({ groups, measures }: SummaryOperation, named: GroupNames): SummaryGroup {
  const group: Record<string, unknown> = {}
  for (const { name } of groups) group[name] = named.get(name)
  group.count = named.get('count')
  for (const { name, kind, field } of measures) {
    const numbers = (group[kind] ?? {}) as Record<string, unknown>
    numbers[field] = named.get(name)
    group[kind] = numbers
  }
  return group
}

function representMeasure(name: string, field: Field, { kind, value }: MeasuredValue): Json {
  const { adds } = field.type
  // JSON has fewer digits than some stored values.
  if (kind === 'sum' && adds?.isLong && isBeyond(value as bigint, adds)) throw tooLarge(name)
  return representValue(field, value)
}
type MeasuredValue = { readonly kind: Measure['kind']; readonly value: unknown }

/** The groups as JSON. Throws `bad-request` for a sum that JSON does not have exactly. */
export function representGroups(
  { resource, groups, measures }: SummaryOperation,
  found: readonly SummaryGroup[],
): readonly Represented[] {
  return found.map((group) => {
    const shown: Record<string, Json> = {}
    for (const key of groups) {
      const value = group[key.name]
      shown[key.name] = key.unit ? (value as string | null) : representValue(fieldOfKey(resource, key), value)
    }
    shown.count = group.count as number
    for (const { kind, field } of measures) {
      const numbers = (shown[kind] ?? {}) as Record<string, Json>
      const value = (group[kind] as SummaryGroup)[field]
      numbers[field] = representMeasure(field, resource.fields[field] as Field, { kind, value })
      shown[kind] = numbers
    }
    return shown
  })
}

function inOrder(rows: readonly GroupNames[], order: SummaryOperation['order']): GroupNames[] {
  return rows.toSorted((a, b) => {
    for (const { name, descending } of order) {
      const compared = compareSorted(a.get(name), b.get(name))
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  })
}

export async function performSummary(engine: Engine, permitted: Permitted<SummaryOperation>): Promise<SummaryResult> {
  const { operation, read, steps } = permitted
  const { resource, groups, measures, order, limit } = operation
  const above = operation.under ? (await resolveUnder(engine.storage, operation.under, steps)).condition : all()
  const fieldsOf = (...kinds: Measure['kind'][]) => [
    ...new Set(measures.filter(({ kind }) => kinds.includes(kind)).map(({ field }) => field)),
  ]
  const { groupsMax } = summaryLimits
  const request = {
    where: all(above, operation.where, read),
    groups,
    sums: fieldsOf('sum', 'average'),
    ends: fieldsOf('least', 'most'),
    limit: groupsMax + 1,
  }
  const rows = await summarizeInZone(engine.storage, resource, { request, zone: operation.zone })
  if (rows.length > groupsMax)
    throw new ApiError(
      'bad-request',
      `There are more than ${groupsMax} groups; narrow the list by a filter, or group by something coarser`,
    )
  const named = inOrder(
    rows.map((row) => namedOf(operation, row)),
    order,
  )
  return {
    kind: 'summary',
    resource,
    groups: named.slice(0, limit).map((one) => groupOf(operation, one)),
    total: rows.length,
  }
}
