/** Transactions on the only writing connection. Those that come together commit together; each sees only its own work undone. */
import type { Catalog } from '../../../resource/catalog.ts'
import type { Scalar } from '../../../resource/condition.ts'
import type { Feed } from '../../changes.ts'
import type { KeptBounds } from '../../kept-bounds.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { type About, makeTransaction } from '../../sql/transaction.ts'
import type { Storage } from '../../storage.ts'
import { type Connection, uniqueColumnsOf } from '../connection.ts'
import { makeNewRows } from '../texts/new-rows.ts'
import { checkOpen, executorOf } from './attempt-executor.ts'
import type { ChangeLog } from './change-log.ts'
import { leavingIn } from './left-effects.ts'
import type { Queue } from './queue.ts'
import { claimsOf } from './requests.ts'

type Parts = {
  readonly writer: Connection
  readonly queue: Queue
  readonly log: ChangeLog
  readonly catalog: Catalog
  readonly tools: Tools
  readonly feed: Feed
  readonly requests: { readonly bounds: KeptBounds }
  /** Whether other processes serve the same file, of whose waiting nobody here knows. */
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
}: Parts): Storage['transaction'] {
  const newRows = makeNewRows(writer, catalog)

  return (author, work) =>
    queue.write(async (attempt) => {
      const write = async (statement: Statement, about: About) => {
        checkOpen(attempt)
        let refused = false
        try {
          const rows = writer.all(statement)
          if (about.kind === 'insert') newRows.index(about.resource, rows)
          const records = rows.map(([id, version]) => ({ id: id as Scalar, version: version as number }))
          log.note(author, about, records)
          return records
        } catch (error) {
          refused = uniqueColumnsOf(error) !== undefined // SQLite has undone the statement, and nothing was logged
          throw error
        } finally {
          attempt.written ||= !refused
        }
      }
      const executor = executorOf(writer, attempt)
      const effects = leavingIn({ writer, executor, attempt, log, author })
      const requests = claimsOf(executor, bounds)
      const isAwaited = () => isShared || queue.isAwaited()
      const { watched } = feed
      return work(makeTransaction({ executor, watched, uniqueColumnsOf, write, requests, effects, isAwaited }, tools))
    }, author.dry !== undefined)
}
