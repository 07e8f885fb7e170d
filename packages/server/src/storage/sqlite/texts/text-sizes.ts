/**
 * Counts, up to a limit, the rows that a text index finds for a condition. Also tells whether the
 * index has them in the order of a list.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { SqlTools } from '../../sql/reader.ts'
import { findRowOrderScan, isByNumber, type RowOrderScan } from '../../sql/row-order-scan.ts'
import type { ListRequest } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'

/** This many rows of an index may be compared at any time. */
export const comparedMax = 4_000
/** The count stops here, after a fraction of a millisecond. */
const countedMax = comparedMax + 1

export type TextSizes = {
  /** At most `countedMax`; undefined where no text index is used. */
  candidates(resource: Resource, where: Condition): number | undefined
  /** The same, or a known upper limit that is still small enough to compare all rows. */
  atMost(resource: Resource, where: Condition): number | undefined
  /** Whether the index alone decides which rows match. */
  isDecided(resource: Resource, where: Condition): boolean
  isInOrder(resource: Resource, request: ListRequest): boolean
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
  function count(resource: Resource, where: Condition, walk: RowOrderScan): number {
    const found = known.get(where) ?? (reader.first(statements.candidates(resource, walk, countedMax))?.[0] as number)
    known.set(where, found)
    return found
  }
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
    isDecided(resource, where) {
      const walk = findRowOrderScan(dialect, resource, where)
      return walk?.isDecided === true && walk.rest.kind === 'true'
    },
    isInOrder: (resource, { where, sort }) =>
      isByNumber(resource, sort) && findRowOrderScan(dialect, resource, where) !== undefined,
  }
}
