/**
 * A lock beside a database file, which all processes share that have the database open. The system
 * releases it when a process ends in any way.
 */
import type { DatabaseSync } from 'node:sqlite'
import { busyMsMax, isBusy } from '../connection.ts'
import { openLockFile } from './read-only.ts'

function isAlone(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (!isBusy(error)) throw error
    return false
  }
}

/**
 * Takes the lock until it is closed. Where no other process has it, it does the work before others
 * can get it.
 */
export function takeOpenLock(path: string, whenAlone: () => void): DatabaseSync {
  const lock = openLockFile(`${path}-open`)
  try {
    if (isAlone(lock)) {
      whenAlone()
      lock.exec('ROLLBACK') // the file stays empty
    }
    // A read lock, which the transaction keeps
    lock.exec(`PRAGMA busy_timeout = ${busyMsMax}; BEGIN; SELECT count(*) FROM sqlite_schema`)
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
