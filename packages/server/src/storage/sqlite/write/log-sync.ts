/**
 * Waits for the disk instead of the thread that serves. A commit writes to the log and returns
 * (`synchronous = NORMAL`), and one call in a thread of the runtime then brings the log to the
 * disk: with `FULL`, SQLite does the same inside of the commit (sqlite.org/pragma.html).
 */
import { closeSync, openSync } from 'node:fs'
import { isFull, type SqliteConnection } from '../connection.ts'
import type { FsyncMonitor } from './fsync.ts'

export type LogSync = {
  /**
   * Resolves when everything that has been committed is on the disk. Throws `unavailable`: then it
   * may be there or not.
   */
  synced(): Promise<void>
  close(): void
}

type LogSyncDeps = {
  readonly path: string
  readonly writer: SqliteConnection
  /** Whether the log may be brought into the file here. */
  readonly checkpoints: boolean
  readonly fsync: FsyncMonitor
}

/**
 * Brings the log into the file first: the process before may have ended because the disk had not
 * confirmed it.
 */
export function makeLogSync({ path, writer, checkpoints, fsync }: LogSyncDeps): LogSync {
  const { database } = writer
  const log = `${path}-wal`
  try {
    if (checkpoints) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!isFull(error)) fsync.failed(error as Error, log)
  }
  database.exec('PRAGMA synchronous = NORMAL')
  const descriptor = openSync(log, 'r+')
  return {
    synced: () => fsync.sync({ path: log, descriptor }),
    close: () => closeSync(descriptor),
  }
}
