/** One process at a time follows the log of a file. The system lets go of the lock when that process ends, however it ends. */
import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import * as sqlite from '../library.ts'

/** Undefined while another process has it. */
export function takeLock(path: string): DatabaseSync | undefined {
  const file = `${path}-copying`
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const lock = new sqlite.DatabaseSync(file, { timeout: 0 })
  try {
    // In this mode the lock of the first write stays until the connection is closed
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS followed (at TEXT)')
    lock.exec('INSERT INTO followed VALUES (NULL); DELETE FROM followed; COMMIT')
    return lock
  } catch {
    lock.close()
    return undefined
  }
}
