/**
 * Begins a write transaction. One connection at a time may write; the serving thread does not block
 * while it waits for the lock.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { busyMsMax, isBusy, type SqliteConnection } from '../connection.ts'

const pauseMsMax = 25

/**
 * Retries while another connection writes. SQLite's own wait would block this thread, and the
 * writing transaction may be on the same thread. Throws SQLite's error when the busy timeout is
 * over.
 */
export async function beginWriting({ database }: Pick<SqliteConnection, 'database'>): Promise<void> {
  const untilMs = performance.now() + busyMsMax
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs) throw error
    } finally {
      database.exec(`PRAGMA busy_timeout = ${busyMsMax}`)
    }
    await sleep(pauseMs)
  }
}
