/**
 * Waits for the disk instead of the thread that serves. A commit writes to the log and returns (`synchronous = NORMAL`), and one call in a
 * thread of the runtime then brings the log to the disk: with `FULL`, SQLite does the same inside of the commit (sqlite.org/pragma.html).
 */
import { closeSync, openSync } from 'node:fs'
import { type Connection, isFull } from '../connection.ts'
import type { Syncs } from './syncs.ts'

export type LogSync = {
  /** Resolves when everything that has been committed is on the disk. Throws `unavailable`: then it may be there or not. */
  synced(): Promise<void>
  close(): void
}

type Parts = {
  readonly path: string
  readonly writer: Connection
  /** Whether the log may be brought into the file here. */
  readonly checkpoints: boolean
  readonly syncs: Syncs
}

/** Brings the log into the file first: the process before may have ended because the disk had not confirmed it. */
export function makeLogSync({ path, writer, checkpoints, syncs }: Parts): LogSync {
  const { database } = writer
  const log = `${path}-wal`
  try {
    if (checkpoints) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!isFull(error)) syncs.failed(error as Error, log)
  }
  database.exec('PRAGMA synchronous = NORMAL')
  const descriptor = openSync(log, 'r+')
  return {
    synced: () => syncs.sync({ path: log, descriptor }),
    close: () => closeSync(descriptor),
  }
}
