/**
 * Moves the fsync of a commit off the serving thread. A commit writes to the log and returns
 * (`synchronous = NORMAL`); one fsync in a thread of the runtime follows. With `FULL`, SQLite calls
 * fsync inside of the commit (sqlite.org/pragma.html).
 */
import { closeSync, openSync } from 'node:fs'
import { isFull, type SqliteConnection } from '../connection.ts'
import type { FsyncMonitor } from './fsync.ts'

export type LogSync = {
  /**
   * Resolves when all commits are on the disk. Throws `unavailable`: then they may be there or not.
   */
  synced(): Promise<void>
  close(): void
}

type LogSyncDeps = {
  readonly path: string
  readonly writer: SqliteConnection
  /** Whether this process may checkpoint the log. */
  readonly checkpoints: boolean
  readonly fsync: FsyncMonitor
}

/** Checkpoints the log first: the process before may have ended because an fsync failed. */
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
