/**
 * Stamps by which a file and its log know each other. The header of a database has two numbers for
 * the application, on page 1: here `own` is drawn anew each time a log begins and each time it is
 * about to be in the file as a whole, and `before` is the number that `own` took the place of. So a
 * log says by itself which state of the file it was begun on, wherever both are copied.
 */
import { randomInt } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Offsets of the file format's header (sqlite.org/fileformat2, section 1.3): `user_version` and
 * `application_id`.
 */
const ownAt = 60
const beforeAt = 68
/**
 * Bytes of page 1 that a stamp changes, or SQLite with it: the stamp, the change counter, the
 * version that it is valid for.
 */
const changed: readonly (readonly [from: number, to: number])[] = [
  [24, 28],
  [ownAt, ownAt + 4],
  [beforeAt, beforeAt + 4],
  [92, 100],
]
const stampMax = 2 ** 31 - 1

export type LogStamp = { readonly own: number; readonly before: number }

export function stampOf(page: Buffer): LogStamp {
  return { own: page.readInt32BE(ownAt), before: page.readInt32BE(beforeAt) }
}

/** Whether two first pages differ in their stamps alone. */
export function isSameBeside(a: Buffer, b: Buffer): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  for (const page of [one, other]) for (const [from, to] of changed) page.fill(0, from, to)
  return one.equals(other)
}

/**
 * A transaction of its own. Does nothing where one cannot be now: a log without its stamp is looked
 * at page by page, should that become necessary.
 */
export function writeStamp(database: DatabaseSync): void {
  if (database.isTransaction) return
  const { timeout } = database.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
    const { user_version: own } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    database.exec(`PRAGMA application_id = ${own}; PRAGMA user_version = ${randomInt(1, stampMax)}; COMMIT`)
  } catch {
    if (database.isTransaction) database.exec('ROLLBACK')
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

/** How many pages the log has, and how many of them are in the file. */
export type LogState = { readonly log: number; readonly checkpointed: number }

export type LogStamps = {
  /** Takes a microsecond. */
  look(): LogState
  /** Call it before each transaction: stamps where the log may begin anew with it, or has begun. */
  stamp(looked: LogState): void
}

export function makeLogStamps(database: DatabaseSync): LogStamps {
  const lookAtLog = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  let known = 0
  return {
    look: () => lookAtLog.get() as LogState,
    stamp({ log, checkpointed }) {
      const isSame = log > checkpointed && log >= known
      known = isSame ? log : 0
      if (!isSame) writeStamp(database)
    },
  }
}
