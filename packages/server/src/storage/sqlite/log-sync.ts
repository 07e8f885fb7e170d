/**
 * Waits for the disk instead of the thread that serves. A commit writes to the log and returns (`synchronous = NORMAL`), and one call in a
 * thread of the runtime then brings the log to the disk: with `FULL`, SQLite does the same inside of the commit (sqlite.org/pragma.html).
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Connection, isFull } from './connection.ts'
import { cannotBeWritten } from './damage.ts'

export type LogSync = {
  /** Throws `unavailable` where a sync has failed. */
  check(): void
  /** Resolves when everything that has been committed is on the disk. Throws `unavailable`: then it may be there or not. */
  synced(): Promise<void>
  close(): void
}

type Parts = {
  readonly path: string
  readonly writer: Connection
  /** Whether the log may be brought into the file here. */
  readonly checkpoints: boolean
  /** Tells the operator, and returns what callers are told. */
  readonly note: (error: Error) => Error
}

/**
 * Once a sync has failed, nothing is written any more: the system may have given up what it could not write and say of the next sync that it
 * succeeded, with a gap in the log behind which everything is lost (Rebello et al., "Can Applications Recover from fsync Failures?", 2020).
 * The next start reads the log as it is, and brings it into the file before anybody is served.
 */
export function makeLogSync({ path, writer, checkpoints, note }: Parts): LogSync {
  const { database } = writer
  let hasFailed = false
  function fail(error: unknown): Error {
    hasFailed = true
    return note(error as Error)
  }
  try {
    if (checkpoints) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!isFull(error)) fail(error)
  }
  database.exec('PRAGMA synchronous = NORMAL')
  const bring = promisify(fdatasync)
  const file = openSync(`${path}-wal`, 'r+')
  return {
    check() {
      if (hasFailed) throw cannotBeWritten()
    },
    async synced() {
      try {
        await bring(file)
      } catch (error) {
        throw fail(error)
      }
    },
    close: () => closeSync(file),
  }
}
