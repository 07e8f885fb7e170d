/** Copies the database to a file beside it, for work that is only rehearsed. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { openConnection, startErrorOf } from '../connection.ts'

/** Removes the copy afterwards. Throws `StartError` when there is nothing to copy, or no room. */
export async function withCopy<T>(path: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${path}.rehearsal-${randomBytes(4).toString('hex')}`
  try {
    const connection = openConnection(path, { readOnly: false })
    try {
      // SQLite fills an empty file; only its owner may read it
      closeSync(openSync(copy, 'wx', 0o600))
      connection.database.prepare('VACUUM INTO ?').run(copy)
    } catch (error) {
      throw startErrorOf(copy, error)
    } finally {
      connection.database.close()
    }
    return await work(copy)
  } finally {
    for (const end of ['', '-wal', '-shm', '-open']) rmSync(`${copy}${end}`, { force: true })
  }
}
