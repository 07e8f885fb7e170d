/** A copy of the file beside it, for work that is only rehearsed. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { openConnection, startErrorOf } from '../connection.ts'

/**
 * The copy is removed afterwards. Throws `StartError` when there is nothing to copy, or no room.
 */
export async function withCopy<T>(path: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${path}.rehearsal-${randomBytes(4).toString('hex')}`
  try {
    const connection = openConnection(path, { readOnly: false })
    try {
      closeSync(openSync(copy, 'wx', 0o600)) // SQLite fills an empty file; nobody else may read it
      connection.database.prepare('VACUUM INTO ?').run(copy)
    } catch (error) {
      throw startErrorOf(copy, error)
    } finally {
      connection.database.close()
    }
    return await work(copy)
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true })
  }
}
