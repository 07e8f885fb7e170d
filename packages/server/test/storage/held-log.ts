/**
 * Makes a long log of the embedded database, which a reader of an older state keeps from
 * restarting.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { libraryCatalog, shelf, tester } from './library.ts'

/** The pages of the log, and how many of them are in the file. */
export function logOf(database: DatabaseSync): { pages: number; done: number } {
  const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, number>
  return { pages: log as number, done: checkpointed as number }
}

/**
 * A storage, and a reader that holds the current state of the file, with a log of 40 MB written
 * since.
 */
export async function heldUp(t: TestContext) {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const storage = await openSqlite(file, libraryCatalog)
  let isOpen = true
  const close = async () => {
    if (isOpen) await storage.close()
    isOpen = false
  }
  const add = (label: string) => storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
  const holder = new DatabaseSync(file, { readOnly: true })
  t.after(async () => {
    holder.close()
    await close()
    removeFolder(folder)
  })
  holder.exec('BEGIN')
  holder.prepare('SELECT count(*) FROM shelves').get()
  const other = new DatabaseSync(file)
  other.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE pieces (bytes BLOB)')
  other.exec('INSERT INTO pieces VALUES (randomblob(40000000))')
  const logNow = () => logOf(other)
  t.after(() => other.close())
  return { file, add, release: () => holder.exec('COMMIT'), logNow, close }
}
