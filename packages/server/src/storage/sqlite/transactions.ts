/** Transactions on the only writing connection, one after another. Readers of the change log learn of each when it has committed. */
import type { Feed } from '../changes.ts'
import type { Tools } from '../sql/reader.ts'
import type { Statement } from '../sql/statements.ts'
import { type About, makeTransaction } from '../sql/transaction.ts'
import type { Storage } from '../storage.ts'
import type { ChangeLog } from './change-log.ts'
import { type Connection, translateError, uniqueColumnsOf } from './connection.ts'
import type { Queue } from './queue.ts'
import type { Snapshot } from './snapshot.ts'

type Parts = {
  readonly writer: Connection
  readonly queue: Queue
  readonly log: ChangeLog
  readonly tools: Tools
  readonly feed: Feed
  readonly snapshot: Snapshot
}

export function makeTransactions({ writer, queue, log, tools, feed, snapshot }: Parts): Storage['transaction'] {
  return (author, work) =>
    queue(async () => {
      try {
        writer.guard(() => writer.database.exec('BEGIN IMMEDIATE'))
        const writing = {
          executor: writer,
          watched: feed.watched,
          uniqueColumnsOf,
          write: async (statement: Statement, about: About) => log.write(author, statement, about),
        }
        const result = await work(makeTransaction(writing, tools))
        snapshot.end()
        writer.guard(() => writer.database.exec('COMMIT'))
        log.committed()
        return result
      } catch (error) {
        if (writer.database.isTransaction) writer.database.exec('ROLLBACK')
        log.undone()
        throw translateError(error)
      }
    })
}
