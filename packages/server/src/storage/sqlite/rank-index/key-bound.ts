/** Bounds in an index: how keys compare, and which index ranges lie between two bounds. */
import type { Resource } from '../../../resource/catalog.ts'
import { all, type Condition, isNull, type Scalar } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/sort-order.ts'
import { isAt } from '../../sql/keyset.ts'
import type { IndexCell } from './index-predicate.ts'

/** The bound before or after all entries that begin with these cells. */
export type KeyBound = { readonly cells: readonly IndexCell[]; readonly after: boolean }

export const firstBound: KeyBound = { cells: [], after: false }
export const lastBound: KeyBound = { cells: [], after: true }

/** A bound whose cells are part of a larger array. */
type PackedBound = {
  readonly cells: readonly IndexCell[]
  readonly from: number
  readonly length: number
  readonly after: boolean
}

/** The side of this bound on which a longer one lies. */
function side(after: boolean): number {
  return after ? 1 : -1
}

/** Negative when `a` lies before `b`, 0 when they are the same bound. */
export function compareCells({ cells, from, length, after }: PackedBound, b: KeyBound): number {
  const shared = Math.min(length, b.cells.length)
  for (let i = 0; i < shared; i += 1) {
    const order = compareSorted(cells[from + i], b.cells[i])
    if (order !== 0) return order
  }
  if (length === b.cells.length) return Number(after) - Number(b.after)
  return length < b.cells.length ? side(after) : -side(b.after)
}

/** The same for a bound with an array of its own. */
export function compareBounds({ cells, after }: KeyBound, b: KeyBound): number {
  return compareCells({ cells, from: 0, length: cells.length, after }, b)
}

type IndexOrder = { readonly resource: Resource; readonly fields: readonly string[] }

function compare(field: string, operator: 'lt' | 'lte' | 'gt' | 'gte', value: IndexCell): Condition {
  return { kind: 'compare', field, operator, value: value as Scalar }
}

/**
 * Whether the entries with the last cell's value lie inside a bound, so that one range includes
 * them.
 */
function takesLast({ cells, after }: KeyBound, at: number, isLower: boolean): boolean {
  return at === cells.length - 1 && after !== isLower && cells[at] !== null
}

/**
 * The values behind a cell, in order: one condition for each range of the index that holds them.
 */
function beyond(field: string, cell: IndexCell): Condition {
  return cell === null ? { kind: 'null', field, isNull: false } : compare(field, 'gt', cell)
}

function upTo({ resource }: IndexOrder, field: string, last: Condition): Condition[] {
  return resource.fields[field]?.nullable ? [isNull(field), last] : [last]
}

/** The entries behind a bound whose first `at` fields are equal to its own. */
function behind(walk: IndexOrder, bound: KeyBound, at: number): Condition[][] {
  const { cells, after } = bound
  if (at === cells.length) return after ? [] : [[]]
  const [field, cell] = [walk.fields[at] as string, cells[at] as IndexCell]
  if (takesLast(bound, at, true)) return [[compare(field, 'gte', cell)]]
  const same = isAt(walk.resource, field, cell)
  return [...behind(walk, bound, at + 1).map((rest) => [same, ...rest]), [beyond(field, cell)]]
}

function before(walk: IndexOrder, bound: KeyBound, at: number): Condition[][] {
  const { cells, after } = bound
  if (at === cells.length) return after ? [[]] : []
  const [field, cell] = [walk.fields[at] as string, cells[at] as IndexCell]
  if (takesLast(bound, at, false)) return upTo(walk, field, compare(field, 'lte', cell)).map((one) => [one])
  const same = isAt(walk.resource, field, cell)
  const deeper = before(walk, bound, at + 1).map((rest) => [same, ...rest])
  const less = cell === null ? [] : upTo(walk, field, compare(field, 'lt', cell))
  return [...less.map((one) => [one]), ...deeper]
}

function within(
  walk: IndexOrder,
  { from, to }: { readonly from: KeyBound; readonly to: KeyBound },
  at: number,
): Condition[][] {
  if (at === from.cells.length) return from.after ? [] : before(walk, to, at)
  if (at === to.cells.length) return to.after ? behind(walk, from, at) : []
  const field = walk.fields[at] as string
  const [low, high] = [from.cells[at] as IndexCell, to.cells[at] as IndexCell]
  const order = compareSorted(low, high)
  const same = (cell: IndexCell) => (rest: Condition[]) => [isAt(walk.resource, field, cell), ...rest]
  if (order === 0) return within(walk, { from, to }, at + 1).map(same(low))
  if (order > 0) return []
  const [isLow, isHigh] = [takesLast(from, at, true), takesLast(to, at, false)]
  const middle = [compare(field, isHigh ? 'lte' : 'lt', high)]
  if (low !== null) middle.unshift(compare(field, isLow ? 'gte' : 'gt', low))
  return [
    ...(isLow ? [] : behind(walk, from, at + 1).map(same(low))),
    middle,
    ...(isHigh ? [] : before(walk, to, at + 1).map(same(high))),
  ]
}

/**
 * The index ranges between two bounds, in ascending order. Together they hold each entry once.
 * `('Tools', 10) … ('Tools', 20)` → `[category = 'Tools' and price = 10 …, category = 'Tools' and
 * price > 10 and price < 20, …]`
 */
export function segmentsBetween(walk: IndexOrder, from: KeyBound, to: KeyBound): Condition[] {
  return within(walk, { from, to }, 0).map((conditions) => all(...conditions))
}
