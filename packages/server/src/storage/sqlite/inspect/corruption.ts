/**
 * Handles a file that cannot be read or written while it is served. Callers get one safe sentence,
 * and the operator at most one line a minute. A failing read is repeated until it succeeds.
 */

import { makeRepeatedLine } from '../../../base/repeated-line.ts'
import { ApiError } from '../../../errors.ts'

/**
 * Returns the error to throw for an error of SQLite. `again` repeats the failed work without
 * changing anything.
 */
export type NoteCorruption = (error: unknown, again: () => void) => unknown

export type CorruptionMonitor = {
  readonly note: NoteCorruption
  /** Returns the error to throw where fsync of a file failed. */
  noteSync(error: Error, path: string): Error
  /**
   * Returns the error to throw where a transaction could not begin, end or roll back, for an
   * unknown reason.
   */
  noteBound(error: Error): Error
  /**
   * Returns the error to throw for an invalid stored value: something else changed a part of a
   * page. `at`: the table and the id.
   */
  noteValue(error: unknown, at: string): unknown
  isFailing(): boolean
  /**
   * Throws `unavailable` while the last failed read still fails. Nothing may be running on its
   * connection.
   */
  check(): void
  /** Whether the last write was refused: the disk is full, or the file cannot be written. */
  isRefusing(): boolean
  /** Call it after a write has succeeded. */
  wrote(): void
}

const retryAfterSeconds = 30
/**
 * On a full disk a small write may succeed where a large one fails: one success does not end the
 * fault.
 */
const settledMs = 2_000
/** The result codes SQLITE_IOERR, SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [10, 11, 26]
const full = 13
/** SQLITE_PERM, SQLITE_READONLY and SQLITE_CANTOPEN: the file can be read as before. */
const unwritable = [3, 8, 14]
/**
 * SQLITE_IOERR_ and WRITE, FSYNC, DIR_FSYNC, TRUNCATE, SHMOPEN, SHMSIZE: the pages that were read
 * are intact.
 */
const unwrittenPages = [778, 1034, 1290, 1546, 4618, 4874]

function extendedCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

function codeOf(error: unknown): number {
  return (extendedCodeOf(error) ?? 0) & 0xff
}

function isUnwritable(error: unknown): boolean {
  return unwritable.includes(codeOf(error)) || unwrittenPages.includes(extendedCodeOf(error) ?? 0)
}

/**
 * A missing table or column: another program dropped it, since a start has compared the
 * declarations with the database.
 */
function isLacking(error: unknown): boolean {
  return codeOf(error) === 1 && /^no such (table|column)/.test((error as Error).message)
}

function isDamage(error: unknown): error is Error {
  return isLacking(error) || (damaged.includes(codeOf(error)) && !isUnwritable(error))
}

// Without a cause: the lines for the operator cover all requests with this error.
const unavailable = (message = 'The database cannot be read', seconds = retryAfterSeconds) =>
  new ApiError('unavailable', message, { retryAfterSeconds: seconds })

/** The error for callers whose transaction cannot begin or commit, because the disk has failed. */
export const cannotBeWritten = () => unavailable('The database cannot be written, nothing was changed')

const advice = 'Find out how much: bindery doctor --deep. Where it is damaged, stop the server and restore a backup'

export function watchCorruption(path: string, report: (message: string) => void): CorruptionMonitor {
  let failing: (() => void) | undefined
  let isRefusing = false
  let recovering: NodeJS.Timeout | undefined
  const [unreadable, noRoom, refused] = [makeRepeatedLine(report), makeRepeatedLine(report), makeRepeatedLine(report)]

  function refuse(): void {
    isRefusing = true
    clearTimeout(recovering)
    recovering = undefined
  }
  function tellRecovered(): void {
    recovering = undefined
    noRoom.end()
    refused.end()
    report(`The database ${path} can be written again`)
  }

  return {
    note(error, again) {
      if (isDamage(error)) {
        failing = again
        unreadable.tell(`The database ${path} cannot be read: ${error.message}. ${advice}`)
        return unavailable()
      }
      if (codeOf(error) === full) {
        refuse()
        noRoom.tell(
          `The disk of ${path} is full: writes are refused, and nothing of them is kept. Make room; writes go on by themselves`,
        )
        return unavailable('The disk is full, nothing was written', 60)
      }
      if (!isUnwritable(error)) return error
      refuse()
      refused.tell(
        `The database ${path} cannot be written: ${(error as Error).message}. See who owns it and its folder, and whether its disk is mounted for writing: bindery doctor`,
      )
      return cannotBeWritten()
    },
    noteSync({ message }, file) {
      refuse()
      report(
        `The disk did not confirm what was written to ${file}: ${message}. Writes are refused until the server is started again; look at the disk first (dmesg)`,
      )
      return unavailable('The disk did not confirm the write; look before you try again')
    },
    noteBound({ message }) {
      refuse()
      refused.tell(
        `The database ${path} cannot be written: ${message}. Nothing of that transaction is kept, and the next write tries again`,
      )
      return cannotBeWritten()
    },
    noteValue(error, at) {
      unreadable.tell(`The database ${path} has a value that is none in ${at}: ${(error as Error).message}. ${advice}`)
      return unavailable()
    },
    isFailing: () => failing !== undefined,
    isRefusing: () => isRefusing,
    wrote() {
      if (!isRefusing) return
      isRefusing = false
      recovering = setTimeout(tellRecovered, settledMs).unref()
    },
    check() {
      if (!failing) return
      try {
        failing()
      } catch (error) {
        if (isDamage(error)) throw unavailable()
      }
      failing = undefined
      unreadable.end()
      report(`The database ${path} can be read again`)
    },
  }
}
