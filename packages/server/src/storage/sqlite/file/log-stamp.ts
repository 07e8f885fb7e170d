/**
 * Stamps that link a file with its log. They use the two numbers that page 1 has for the
 * application. `own` is random, and new each time a log begins, and each time before a checkpoint
 * completes. `before` is the previous `own`. So a copied log shows which state of the file it began
 * with.
 */
import { randomInt } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Offsets of the file format's header (sqlite.org/fileformat2, section 1.3): `user_version` and
 * `application_id`.
 */
const ownAt = 60
const beforeAt = 68
/**
 * The bytes of page 1 that a stamp changes, or SQLite with it. They are the stamp, the change
 * counter, and the version that it is valid for.
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

/** Whether two first pages differ only in their stamps. */
export function isSameBeside(a: Buffer, b: Buffer): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  for (const page of [one, other]) for (const [from, to] of changed) page.fill(0, from, to)
  return one.equals(other)
}

/**
 * Writes a stamp in a transaction of its own. Does nothing where that is not possible now: a log
 * without a stamp can still be checked page by page.
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

/** The pages in the log, and how many of them are in the file. */
export type LogState = { readonly log: number; readonly checkpointed: number }

export type LogStamps = {
  /** Takes a microsecond. */
  look(): LogState
  /**
   * Call it before each transaction: writes a stamp where the log may begin with it, or has begun.
   */
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

export type LogSalts = {
  /** Other ones each time that the log begins; empty where there is none. Takes a microsecond. */
  read(): string
  close(): void
}

/**
 * The random numbers in the log's header (section 4.1). SQLite draws them with the first frame, so
 * they tell of a beginning that no stamp could be written for, and before its commit. Nothing locks
 * the log's own file, so it may be opened and closed beside connections.
 */
export function readLogSalts(path: string): LogSalts {
  const salts = Buffer.alloc(8)
  let descriptor: number | undefined
  return {
    read() {
      try {
        descriptor ??= openSync(`${path}-wal`, 'r')
        return salts.toString('hex', 0, readSync(descriptor, salts, 0, salts.length, 16))
      } catch {
        return ''
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
    },
  }
}
