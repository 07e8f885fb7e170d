/** Locks the rows of a resource that match, batch by batch. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'
import type { MatchingRecords } from './dependents.ts'

export const batchRows = 500

/** Locks and returns the next rows that match, in the order of their ids. */
function lockBatch(
  { transaction }: WriteContext,
  { resource, where }: MatchingRecords,
  after: unknown,
): Promise<Row[]> {
  const sort = [{ field: resource.idField, descending: false }]
  const cursor = after === undefined ? null : { values: [after as Scalar] }
  return transaction.lockAll(resource, { where, sort, limit: batchRows, after: cursor }, { toDelete: true })
}

type BatchWork = (rows: Row[], isBeginning: boolean) => Promise<void>

/**
 * Calls `work` with the matching rows, batch by batch; `isBeginning`: more may follow the first. A
 * row that `work` does not change is not passed twice. Other requests are served in between.
 */
export async function eachBatch(context: WriteContext, matches: MatchingRecords, work: BatchWork): Promise<void> {
  for (let after: unknown; ; ) {
    const rows = await lockBatch(context, matches, after)
    const isLast = rows.length < batchRows
    if (rows.length > 0) await work(rows, after === undefined && !isLast)
    if (isLast) return
    await nextTurn()
    after = rows.at(-1)?.[matches.resource.idField]
  }
}
