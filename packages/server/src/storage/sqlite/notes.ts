/** What commands and the service write down in the file about themselves, by name. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readMeta, writeMeta } from './apply-migration.ts'
import { logNote } from './change-log.ts'
import { type Connection, isBusy, openConnection } from './connection.ts'
import type { SqliteSetup } from './setup.ts'

/** As long as other connections wait. */
const triesMax = 100
const pauseMs = 50

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

/** The transaction that holds the file may be one of this very thread, which could not end while the thread waits for it. */
export async function keepNote(file: File, name: string, value: string): Promise<void> {
  for (let left = triesMax; ; left -= 1) {
    try {
      return onFile(file, false, (connection) => {
        connection.database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
        logNote(connection)
        writeMeta(connection, name, value)
        connection.database.exec('COMMIT') // without which closing undoes it
      })
    } catch (error) {
      if (!isBusy(error) || left === 0) throw error
      await sleep(pauseMs)
    }
  }
}
