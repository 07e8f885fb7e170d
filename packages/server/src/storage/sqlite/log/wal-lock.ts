/**
 * A lock that lets one process at a time follow the log of a file. The system releases it when that
 * process ends in any way.
 */
import type { DatabaseSync } from 'node:sqlite'
import { openLockFile } from '../file/read-only.ts'

/** Undefined while another process has it. */
export function takeLock(path: string): DatabaseSync | undefined {
  const lock = openLockFile(`${path}-copying`)
  try {
    // In this mode the lock of the first write stays until the connection closes
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS followed (at TEXT)')
    lock.exec('INSERT INTO followed VALUES (NULL); DELETE FROM followed; COMMIT')
    return lock
  } catch {
    lock.close()
    return undefined
  }
}
