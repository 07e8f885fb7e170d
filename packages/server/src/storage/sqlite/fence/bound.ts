/** Places in an index: how keys compare, and what lies between two places as conditions that the index walks. */
import type { Resource } from '../../../resource/catalog.ts'
import { all, type Condition, isNull } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/order.ts'
import { isAt } from '../../sql/keyset.ts'
import type { Cell } from './narrowing.ts'

/** The place before or after all entries that begin with these cells. */
export type Bound = { readonly cells: readonly Cell[]; readonly after: boolean }

export const start: Bound = { cells: [], after: false }
export const end: Bound = { cells: [], after: true }

/** Negative when the key lies before the bound, positive when it lies behind it: an entry is never at a bound. */
export function compareKey(key: readonly Cell[], { cells, after }: Bound): number {
  for (let i = 0; i < cells.length; i += 1) {
    const order = compareSorted(key[i] ?? null, cells[i] as Cell)
    if (order !== 0) return order
  }
  return after ? -1 : 1
}

type Walk = { readonly resource: Resource; readonly fields: readonly string[] }

/** The values behind a cell, in order: one condition for each range of the index that holds them. */
function beyond(field: string, cell: Cell): Condition {
  return cell === null
    ? { kind: 'null', field, isNull: false }
    : { kind: 'compare', field, operator: 'gt', value: cell }
}

function upTo({ resource }: Walk, field: string, cell: Cell): Condition[] {
  if (cell === null) return []
  const less: Condition = { kind: 'compare', field, operator: 'lt', value: cell }
  return resource.fields[field]?.nullable ? [isNull(field), less] : [less]
}

/** The entries behind a bound, of those that begin as it does in the first `at` fields. */
function behind(walk: Walk, { cells, after }: Bound, at: number): Condition[][] {
  if (at === cells.length) return after ? [] : [[]]
  const [field, cell] = [walk.fields[at] as string, cells[at] as Cell]
  const same = isAt(walk.resource, field, cell)
  return [...behind(walk, { cells, after }, at + 1).map((rest) => [same, ...rest]), [beyond(field, cell)]]
}

function before(walk: Walk, { cells, after }: Bound, at: number): Condition[][] {
  if (at === cells.length) return after ? [[]] : []
  const [field, cell] = [walk.fields[at] as string, cells[at] as Cell]
  const same = isAt(walk.resource, field, cell)
  const deeper = before(walk, { cells, after }, at + 1).map((rest) => [same, ...rest])
  return [...upTo(walk, field, cell).map((one) => [one]), ...deeper]
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
  const middle: Condition[] = [{ kind: 'compare', field, operator: 'lt', value: high as string }]
  if (low !== null) middle.unshift(beyond(field, low))
  return [...behind(walk, from, at + 1).map(same(low)), middle, ...before(walk, to, at + 1).map(same(high))]
}

/**
 * What lies between two places of an index with these fields, as ranges that the index walks, in ascending order. Together they hold each
 * entry once. `('Tools', 10) … ('Tools', 20)` → `[category = 'Tools' and price = 10 …, category = 'Tools' and price > 10 and price < 20, …]`
 */
export function segmentsBetween(walk: Walk, from: Bound, to: Bound): Condition[] {
  return within(walk, { from, to }, 0).map((conditions) => all(...conditions))
}
