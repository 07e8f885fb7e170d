/**
 * How a transaction begins that writes: one connection at a time may, and nobody who is served
 * waits with those that may not yet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { busyMsMax, isBusy, type SqliteConnection } from '../connection.ts'

const pauseMsMax = 25

/**
 * Tries again while another connection writes. SQLite's own waiting would hold up this thread, and
 * the transaction that is waited for may be one of this very thread. Throws SQLite's error when the
 * time of a busy database is up.
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
