/**
 * Counts, up to a limit, the rows that a text index finds for a condition. Also tells whether the
 * index has them in the order of a list.
 */
import type { Resource } from '../../../resource/catalog.ts'
import { all, type Condition } from '../../../resource/condition.ts'
import type { SqlTools } from '../../sql/reader.ts'
import { findRowOrderScan, isByNumber, type RowOrderScan } from '../../sql/row-order-scan.ts'
import type { ListRequest } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'

/** This many rows of an index may be compared at any time. */
export const comparedMax = 4_000
/** Rows that are looked up one by one, at random: about three milliseconds. */
export const lookedUpMax = 300
/** The count stops here, after a fraction of a millisecond. */
const countedMax = comparedMax + 1

export type TextSizes = {
  /** At most `countedMax`; undefined where no text index is used. */
  candidates(resource: Resource, where: Condition): number | undefined
  /** The same, or a known upper limit that is still small enough to compare all rows. */
  atMost(resource: Resource, where: Condition): number | undefined
  /** The rows that match now, where the index alone decides and there are few enough to count. */
  exactly(resource: Resource, where: Condition): number | undefined
  /** Whether the index alone decides which rows match. */
  isDecided(resource: Resource, where: Condition): boolean
  isInOrder(resource: Resource, request: ListRequest): boolean
  /**
   * The same condition without the tenant, where the words of the search imply it. Then the
   * database looks up the rows with the words, and walks no index of the tenant.
   */
  byWords(resource: Resource, where: Condition): Condition
}

export function makeTextSizes({
  reader,
  tools,
}: {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
}): TextSizes {
  const { dialect, statements } = tools
  /**
   * A page needs it for its total and for its rows; writes between the two hardly change either
   * cost.
   */
  const known = new WeakMap<Condition, number>()
  function countNow(resource: Resource, where: Condition, walk: RowOrderScan): number {
    const found = reader.first(statements.candidates(resource, walk, countedMax))?.[0] as number
    known.set(where, found)
    return found
  }
  const count = (resource: Resource, where: Condition, walk: RowOrderScan) =>
    known.get(where) ?? countNow(resource, where, walk)
  const decides = (walk: RowOrderScan | undefined) => walk?.isDecided === true && walk.rest.kind === 'true'
  return {
    candidates(resource, where) {
      const walk = findRowOrderScan(dialect, resource, where)
      return walk && count(resource, where, walk)
    },
    atMost(resource, where) {
      const walk = findRowOrderScan(dialect, resource, where)
      const most = walk?.walk.most
      return most !== undefined && most <= comparedMax / 2 ? most : walk && count(resource, where, walk)
    },
    exactly(resource, where) {
      const walk = findRowOrderScan(dialect, resource, where)
      const found = walk && decides(walk) ? countNow(resource, where, walk) : countedMax
      return found < countedMax ? found : undefined
    },
    isDecided: (resource, where) => decides(findRowOrderScan(dialect, resource, where)),
    byWords(resource, where) {
      const walk = findRowOrderScan(dialect, resource, where)
      return walk?.texts.kind === 'search' && walk.texts.scope ? all(walk.texts, walk.rest) : where
    },
    isInOrder: (resource, { where, sort }) =>
      isByNumber(resource, sort) && findRowOrderScan(dialect, resource, where) !== undefined,
  }
}
