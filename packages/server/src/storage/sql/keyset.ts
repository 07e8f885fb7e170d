/**
 * Keyset pagination: "after this record" as a condition, for any sort. It is the lexicographic
 * comparison written out, with null as the smallest value. A leading bound on the first key lets an
 * index start at the right entry, with any later keys.
 */
import type { CursorPosition } from '../../operation/operation.ts'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { all, any, type Condition, isNull, never, type Scalar } from '../../resource/condition.ts'
import { isCaseless } from './compile-condition.ts'

/**
 * Exactly this value: `eq` ignores case in some fields, but texts that differ only in case are
 * apart in the order.
 */
export function isAt(resource: Resource, field: string, value: Scalar | null): Condition {
  if (value === null) return isNull(field)
  if (!isCaseless(resource, field)) return { kind: 'compare', field, operator: 'eq', value }
  return all({ kind: 'compare', field, operator: 'gte', value }, { kind: 'compare', field, operator: 'lte', value })
}

/** Strictly after the value, in this key's direction. */
function isBeyond(resource: Resource, { field, descending }: SortKey, value: Scalar | null): Condition {
  if (value === null) return descending ? never : { kind: 'null', field, isNull: false }
  if (!descending) return { kind: 'compare', field, operator: 'gt', value }
  const smaller: Condition = { kind: 'compare', field, operator: 'lt', value }
  return resource.fields[field]?.nullable ? any(smaller, isNull(field)) : smaller
}

export function afterCursor(resource: Resource, sort: readonly SortKey[], cursor: CursorPosition): Condition {
  const branches = sort.map((key, index) => {
    const equal = sort.slice(0, index).map((before, at) => isAt(resource, before.field, cursor.values[at] ?? null))
    return all(...equal, isBeyond(resource, key, cursor.values[index] ?? null))
  })
  const first = sort[0]
  const value = cursor.values[0]
  if (!first || value === null || value === undefined || sort.length === 1) return any(...branches)
  const bound: Condition = { kind: 'compare', field: first.field, operator: first.descending ? 'lte' : 'gte', value }
  const nullable = first.descending && resource.fields[first.field]?.nullable
  return all(nullable ? any(bound, isNull(first.field)) : bound, any(...branches))
}
