/** What commands and the service write down in the file about themselves, by name. */
import { readMeta, writeMeta } from './apply-migration.ts'
import { type Connection, openConnection } from './connection.ts'
import type { SqliteSetup } from './setup.ts'

type File = Pick<SqliteSetup, 'path' | 'copied'>

function onFile<T>({ path, copied = false }: File, readOnly: boolean, work: (connection: Connection) => T): T {
  const connection = openConnection(path, { readOnly, checkpoints: !copied })
  try {
    return work(connection)
  } finally {
    connection.database.close()
  }
}

export function findNote(file: File, name: string): string | undefined {
  return onFile(file, true, (connection) => readMeta(connection, name))
}

export function keepNote(file: File, name: string, value: string): void {
  onFile(file, false, (connection) => writeMeta(connection, name, value))
}
