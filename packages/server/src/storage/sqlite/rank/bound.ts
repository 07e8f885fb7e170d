/** Places in an index: how keys compare, and what lies between two places as conditions that the index walks. */
import type { Resource } from '../../../resource/catalog.ts'
import { all, type Condition, isNull, type Scalar } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/order.ts'
import { isAt } from '../../sql/keyset.ts'
import type { Cell } from './narrowing.ts'

/** The place before or after all entries that begin with these cells. */
export type Bound = { readonly cells: readonly Cell[]; readonly after: boolean }

export const start: Bound = { cells: [], after: false }
export const end: Bound = { cells: [], after: true }

/** A place among the cells of many. */
type Packed = {
  readonly cells: readonly Cell[]
  readonly from: number
  readonly length: number
  readonly after: boolean
}

/** Where a place lies that has cells behind those of this one. */
function side(after: boolean): number {
  return after ? 1 : -1
}

/** Negative when `a` lies before `b`, 0 when they are one place. */
export function compareCells({ cells, from, length, after }: Packed, b: Bound): number {
  const shared = Math.min(length, b.cells.length)
  for (let i = 0; i < shared; i += 1) {
    const order = compareSorted(cells[from + i], b.cells[i])
    if (order !== 0) return order
  }
  if (length === b.cells.length) return Number(after) - Number(b.after)
  return length < b.cells.length ? side(after) : -side(b.after)
}

/** The same of a place that stands alone. */
export function compareBounds({ cells, after }: Bound, b: Bound): number {
  return compareCells({ cells, from: 0, length: cells.length, after }, b)
}

type Walk = { readonly resource: Resource; readonly fields: readonly string[] }

function compare(field: string, operator: 'lt' | 'lte' | 'gt' | 'gte', value: Cell): Condition {
  return { kind: 'compare', field, operator, value: value as Scalar }
}

/** Whether the entries with the last cell's value lie on the inner side of a bound, so that one range takes them along. */
function takesLast({ cells, after }: Bound, at: number, isLower: boolean): boolean {
  return at === cells.length - 1 && after !== isLower && cells[at] !== null
}

/** The values behind a cell, in order: one condition for each range of the index that holds them. */
function beyond(field: string, cell: Cell): Condition {
  return cell === null ? { kind: 'null', field, isNull: false } : compare(field, 'gt', cell)
}

function upTo({ resource }: Walk, field: string, last: Condition): Condition[] {
  return resource.fields[field]?.nullable ? [isNull(field), last] : [last]
}

/** The entries behind a bound, of those that begin as it does in the first `at` fields. */
function behind(walk: Walk, bound: Bound, at: number): Condition[][] {
  const { cells, after } = bound
  if (at === cells.length) return after ? [] : [[]]
  const [field, cell] = [walk.fields[at] as string, cells[at] as Cell]
  if (takesLast(bound, at, true)) return [[compare(field, 'gte', cell)]]
  const same = isAt(walk.resource, field, cell)
  return [...behind(walk, bound, at + 1).map((rest) => [same, ...rest]), [beyond(field, cell)]]
}

function before(walk: Walk, bound: Bound, at: number): Condition[][] {
  const { cells, after } = bound
  if (at === cells.length) return after ? [[]] : []
  const [field, cell] = [walk.fields[at] as string, cells[at] as Cell]
  if (takesLast(bound, at, false)) return upTo(walk, field, compare(field, 'lte', cell)).map((one) => [one])
  const same = isAt(walk.resource, field, cell)
  const deeper = before(walk, bound, at + 1).map((rest) => [same, ...rest])
  const less = cell === null ? [] : upTo(walk, field, compare(field, 'lt', cell))
  return [...less.map((one) => [one]), ...deeper]
}

function within(walk: Walk, { from, to }: { readonly from: Bound; readonly to: Bound }, at: number): Condition[][] {
  if (at === from.cells.length) return from.after ? [] : before(walk, to, at)
  if (at === to.cells.length) return to.after ? behind(walk, from, at) : []
  const field = walk.fields[at] as string
  const [low, high] = [from.cells[at] as Cell, to.cells[at] as Cell]
  const order = compareSorted(low, high)
  const same = (cell: Cell) => (rest: Condition[]) => [isAt(walk.resource, field, cell), ...rest]
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
 * What lies between two places of an index with these fields, as ranges that the index walks, in ascending order. Together they hold each
 * entry once. `('Tools', 10) … ('Tools', 20)` → `[category = 'Tools' and price = 10 …, category = 'Tools' and price > 10 and price < 20, …]`
 */
export function segmentsBetween(walk: Walk, from: Bound, to: Bound): Condition[] {
  return within(walk, { from, to }, 0).map((conditions) => all(...conditions))
}
