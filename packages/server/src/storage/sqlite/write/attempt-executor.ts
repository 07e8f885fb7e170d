/** Runs the statements of one member of a commit group, while its attempt is open. */
import type { Executor } from '../../sql/reader.ts'
import type { SqliteConnection } from '../connection.ts'
import type { WriteAttempt } from './commit-group.ts'

export function checkOpen(attempt: WriteAttempt): void {
  if (!attempt.open) throw new Error('this transaction has ended, or runs again from its beginning')
}

export function executorOf(writer: SqliteConnection, attempt: WriteAttempt): Executor {
  return {
    all(statement) {
      checkOpen(attempt)
      return writer.all(statement)
    },
    first(statement) {
      checkOpen(attempt)
      return writer.first(statement)
    },
    run(statement) {
      checkOpen(attempt)
      attempt.written = true
      return writer.run(statement)
    },
  }
}
