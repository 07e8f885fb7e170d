/**
 * Runs transactions on the only writing connection. Those that arrive together commit together; a
 * failure rolls back only its own work.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import type { Scalar } from '../../../resource/condition.ts'
import type { ChangeFeed } from '../../changes.ts'
import type { RetentionLimits } from '../../retention-limits.ts'
import { movingSchedules } from '../../schedules/schedule-rows.ts'
import type { IntendedRows } from '../../sql/broken-keys.ts'
import { countingIn } from '../../sql/counters.ts'
import { makeEraseCopies } from '../../sql/erase-copies.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { makeTransaction, type WriteDescription } from '../../sql/transaction.ts'
import type { Storage } from '../../storage.ts'
import { type SqliteConnection, uniqueColumnsOf } from '../connection.ts'
import { makeNewRowIndex } from '../texts/new-rows.ts'
import { checkOpen, executorOf } from './attempt-executor.ts'
import type { SqliteChangeLog } from './change-log.ts'
import { effectDialect, leavingIn } from './effects-table.ts'
import { firstBrokenKey } from './first-broken-key.ts'
import { jobsIn } from './jobs-table.ts'
import { claimsOf } from './requests.ts'
import type { WriteQueue } from './write-queue.ts'

type TransactionsDeps = {
  readonly writer: SqliteConnection
  readonly queue: WriteQueue
  readonly log: SqliteChangeLog
  readonly catalog: Catalog
  readonly tools: SqlTools
  readonly feed: ChangeFeed
  readonly requests: { readonly bounds: RetentionLimits }
  /** Whether other processes serve the same file: this process does not know whether they wait. */
  readonly isShared: boolean
}

export function makeTransactions({
  writer,
  queue,
  log,
  catalog,
  tools,
  feed,
  requests: { bounds },
  isShared,
}: TransactionsDeps): Storage['transaction'] {
  const newRows = makeNewRowIndex(writer, catalog)

  return (author, work) =>
    queue.write(async (attempt) => {
      const write = async (statement: Statement, about: WriteDescription) => {
        checkOpen(attempt)
        let refused = false
        try {
          const rows = writer.all(statement)
          if (about.kind === 'insert') newRows.index(about.resource, rows)
          const records = rows.map(([id, version]) => ({ id: id as Scalar, version: version as number }))
          log.note(author, about, records)
          return records
        } catch (error) {
          // SQLite has rolled back the statement, and logged nothing
          refused = uniqueColumnsOf(error) !== undefined
          throw error
        } finally {
          attempt.written ||= !refused
        }
      }
      const executor = executorOf(writer, attempt)
      const writeOwn = async (statement: Statement) => {
        checkOpen(attempt)
        attempt.written = true
        return writer.first(statement) as readonly unknown[]
      }
      const effects = leavingIn({ writer, executor, attempt, log, author })
      const jobs = jobsIn({ executor, attempt, log, author })
      const schedules = movingSchedules(effectDialect, executor)
      // Transactions run one after another here.
      const lockName = async () => {}
      const ownRows = {
        ...claimsOf(executor, bounds),
        countUp: countingIn(effectDialect, writeOwn),
        eraseCopies: makeEraseCopies(effectDialect, executor),
        lockName,
      }
      const isAwaited = () => isShared || queue.isAwaited()
      const { watched } = feed
      const broken = (rows: IntendedRows) => firstBrokenKey(executor, rows)
      const parts = { own: ownRows, effects, jobs, schedules, isAwaited, writeOwn, firstBrokenKey: broken }
      return work(makeTransaction({ executor, watched, uniqueColumnsOf, write, ...parts }, tools))
    }, author.dry !== undefined)
}
