/** What commands and the service write down in the file about themselves, by name. */
import { readMeta, writeMeta } from './apply-migration.ts'
import { type Connection, openConnection } from './connection.ts'

function onFile<T>(path: string, readOnly: boolean, work: (connection: Connection) => T): T {
  const connection = openConnection(path, { readOnly })
  try {
    return work(connection)
  } finally {
    connection.database.close()
  }
}

export function findNote(path: string, name: string): string | undefined {
  return onFile(path, true, (connection) => readMeta(connection, name))
}

export function keepNote(path: string, name: string, value: string): void {
  onFile(path, false, (connection) => writeMeta(connection, name, value))
}
