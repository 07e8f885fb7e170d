/** Wraps a connection so that its statements can be stopped. */
import type { StatementListener } from '../../observe/storage-metrics.ts'
import type { Statement } from '../sql/statements.ts'
import type { SqliteConnection } from './connection.ts'

export function watchedConnection(connection: SqliteConnection, { isOn, ended }: StatementListener): SqliteConnection {
  const timed =
    <T>(run: (statement: Statement) => T) =>
    (statement: Statement): T => {
      if (!isOn()) return run(statement)
      const beganMs = performance.now()
      try {
        return run(statement)
      } finally {
        ended(statement.sql, beganMs, performance.now())
      }
    }
  return {
    ...connection,
    all: timed(connection.all),
    first: timed(connection.first),
    run: timed(connection.run),
    insert: timed(connection.insert),
  }
}
