/** A condition as an index sees it: equal fields, one range a field, and whatever no index can answer. */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition, Scalar } from '../../../resource/condition.ts'
import { isCaseless } from '../../sql/compile-condition.ts'

/** Null is the smallest value, as in every order of Bindery. */
export type Cell = Scalar | null
export type Limit = { readonly value: Cell; readonly inclusive: boolean }
export type Range = { readonly from?: Limit; readonly to?: Limit }

export type Narrowing = {
  readonly equal: ReadonlyMap<string, Cell>
  readonly ranges: ReadonlyMap<string, Range>
  /** The conditions of `equal` and `ranges`, by their field. */
  readonly parts: ReadonlyMap<string, readonly Condition[]>
  /** What compares by other means than the order of one field: parts of texts, searches, alternatives, related records. */
  readonly rest: readonly Condition[]
}

type Draft = {
  readonly equal: Map<string, Cell>
  readonly ranges: Map<string, Range>
  readonly parts: Map<string, Condition[]>
  readonly rest: Condition[]
}

const above = { gt: false, gte: true } as const
const below = { lt: false, lte: true } as const

/** Each of these excludes null, which is not above or below anything. */
const notNull: Limit = { value: null, inclusive: false }

/** The range that one condition leaves of a field, beside what others left; undefined when it is no range. */
function narrowed(condition: Condition, { from, to }: Range): Range | undefined {
  if (condition.kind === 'null' && !condition.isNull && !from) return { from: notNull, ...(to && { to }) }
  if (condition.kind !== 'compare') return undefined
  const { operator, value } = condition
  if (operator in above && (!from || from === notNull))
    return { from: { value, inclusive: above[operator as keyof typeof above] }, ...(to && { to }) }
  if (operator in below && !to)
    return { from: from ?? notNull, to: { value, inclusive: below[operator as keyof typeof below] } }
  return undefined
}

function equalTo(condition: Condition): Cell | undefined {
  if (condition.kind === 'null' && condition.isNull) return null
  return condition.kind === 'compare' && condition.operator === 'eq' ? condition.value : undefined
}

function take(draft: Draft, resource: Resource, condition: Condition): boolean {
  if (condition.kind !== 'compare' && condition.kind !== 'null') return false
  const { field } = condition
  if (isCaseless(resource, field)) return false // compared by its folded column
  const { equal, ranges, parts } = draft
  const value = equalTo(condition)
  if (value !== undefined) {
    if (equal.has(field) || ranges.has(field)) return false
    equal.set(field, value)
  } else {
    const range = equal.has(field) ? undefined : narrowed(condition, ranges.get(field) ?? {})
    if (!range) return false
    ranges.set(field, range)
  }
  parts.set(field, [...(parts.get(field) ?? []), condition])
  return true
}

/** `category = 'Tools' and price >= 10 and q …` → equal {category}, ranges {price}, rest [q]. */
export function narrowingOf(resource: Resource, where: Condition): Narrowing {
  const draft: Draft = { equal: new Map(), ranges: new Map(), parts: new Map(), rest: [] }
  const conditions = where.kind === 'and' ? where.of : where.kind === 'true' ? [] : [where]
  for (const condition of conditions) if (!take(draft, resource, condition)) draft.rest.push(condition)
  return draft
}
