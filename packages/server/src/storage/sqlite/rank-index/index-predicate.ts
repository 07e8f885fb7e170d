/**
 * Splits a condition into the parts that an index can answer: equal fields, one range per field,
 * and a rest. It names the parts by number and holds no values, so requests that differ only in
 * values share it.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition, Scalar } from '../../../resource/condition.ts'
import { isCaseless } from '../../sql/compile-condition.ts'

/** Null is the smallest value, as in every order of Bindery. */
export type IndexCell = Scalar | null
/** `part`: the number of the condition with the value; absent for null. */
export type RangeLimit = { readonly part?: number; readonly inclusive: boolean }
export type FieldRange = { readonly from?: RangeLimit; readonly to?: RangeLimit }

export type IndexPredicate = {
  /** For each field, the part with its value. */
  readonly equal: ReadonlyMap<string, number>
  readonly ranges: ReadonlyMap<string, FieldRange>
  /** The parts of `equal` and `ranges`, by field. */
  readonly parts: ReadonlyMap<string, readonly number[]>
  /** Parts that no index order answers: parts of texts, searches, alternatives, related records. */
  readonly rest: readonly number[]
}

type PredicateDraft = {
  readonly equal: Map<string, number>
  readonly ranges: Map<string, FieldRange>
  readonly parts: Map<string, number[]>
  readonly rest: number[]
}

const above = { gt: false, gte: true } as const
const below = { lt: false, lte: true } as const

/** Each of these excludes null, which is not above or below anything. */
const notNull: RangeLimit = { inclusive: false }

/** The conditions of an `and`. `a and b` → `[a, b]` */
export function partsOf(where: Condition): readonly Condition[] {
  if (where.kind === 'and') return where.of
  return where.kind === 'true' ? [] : [where]
}

/** The value that a part of `equal` or `ranges` compares its field with. */
export function cellOf(part: Condition): IndexCell {
  return part.kind === 'compare' ? part.value : null
}

/** The properties of a part that decide its range. */
function shapeOfPart(part: Condition): string {
  if (part.kind === 'compare') return `${part.field} ${part.operator} ${typeof part.value}`
  if (part.kind === 'null') return `${part.field} null ${part.isNull}`
  return part.kind
}

/** The properties of these parts that decide their ranges. */
export function shapeOf(parts: readonly Condition[]): string {
  let shape = ''
  for (const part of parts) shape += `${shapeOfPart(part)},`
  return shape
}

/** The range of a field after one more condition; undefined when it is no range. */
function narrowed(condition: Condition, part: number, { from, to }: FieldRange): FieldRange | undefined {
  if (condition.kind === 'null' && !condition.isNull && !from) return { from: notNull, ...(to && { to }) }
  if (condition.kind !== 'compare') return undefined
  const { operator } = condition
  if (operator in above && (!from || from === notNull))
    return { from: { part, inclusive: above[operator as keyof typeof above] }, ...(to && { to }) }
  if (operator in below && !to)
    return { from: from ?? notNull, to: { part, inclusive: below[operator as keyof typeof below] } }
  return undefined
}

function isEqual(condition: Condition): boolean {
  if (condition.kind === 'null') return condition.isNull
  return condition.kind === 'compare' && condition.operator === 'eq'
}

function take(draft: PredicateDraft, resource: Resource, [part, condition]: readonly [number, Condition]): boolean {
  if (condition.kind !== 'compare' && condition.kind !== 'null') return false
  const { field } = condition
  if (isCaseless(resource, field)) return false // compared by its folded column
  const { equal, ranges, parts } = draft
  if (isEqual(condition)) {
    if (equal.has(field) || ranges.has(field)) return false
    equal.set(field, part)
  } else {
    const range = equal.has(field) ? undefined : narrowed(condition, part, ranges.get(field) ?? {})
    if (!range) return false
    ranges.set(field, range)
  }
  parts.set(field, [...(parts.get(field) ?? []), part])
  return true
}

/**
 * `category = 'Tools' and price >= 10 and q …` → equal {category: 0}, ranges {price: from 1}, rest
 * [2].
 */
export function indexPredicateOf(resource: Resource, parts: readonly Condition[]): IndexPredicate {
  const draft: PredicateDraft = { equal: new Map(), ranges: new Map(), parts: new Map(), rest: [] }
  for (const [part, condition] of parts.entries()) if (!take(draft, resource, [part, condition])) draft.rest.push(part)
  return draft
}
