/**
 * The order of stored values, exactly as every database sorts them: texts by code point, null as
 * the smallest value.
 */
import type { SortKey } from '../../resource/catalog.ts'
import type { Values } from '../stored-row.ts'

/** UTF-16 puts surrogates before U+E000, although they stand for code points behind it. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/**
 * Below 0, 0 or above 0. `compareTexts('\uffff', '😀')` is below 0, although `'\uffff' > '😀'` in
 * JavaScript.
 */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return a.length - b.length
}

/** Two values of one field, neither of them null. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b)
  return Number(a) - Number(b)
}

/** Two values of one field; null is the smallest. */
export function compareSorted(a: unknown, b: unknown): number {
  const [left, right] = [a ?? null, b ?? null]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareValues(left, right)
}

/** The position of a record with these values in the order, by the values of `sort`. */
export type SortPosition = readonly unknown[]

export function sortPositionOf(sort: readonly SortKey[], record: Values): SortPosition {
  return sort.map(({ field }) => record[field] ?? null)
}

/** Below 0 where a record with these values comes before the place in this order. */
export function compareWithPosition(sort: readonly SortKey[], record: Values, place: SortPosition): number {
  for (let i = 0; i < sort.length; i += 1) {
    const { field, descending } = sort[i] as SortKey
    const order = compareSorted(record[field], place[i])
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** Below 0 where a record with the first values comes before one with the second. */
export function compareRecords(sort: readonly SortKey[], a: Values, b: Values): number {
  return compareWithPosition(sort, a, sortPositionOf(sort, b))
}
