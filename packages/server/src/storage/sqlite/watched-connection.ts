/** A connection whose statements are watched. */
import type { StatementWatch } from '../../observe/statement-watch.ts'
import type { Statement } from '../sql/statements.ts'
import type { Connection } from './connection.ts'

export function watchedConnection(connection: Connection, { isOn, ended }: StatementWatch): Connection {
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
