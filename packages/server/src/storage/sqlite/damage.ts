/**
 * Handles a file that becomes unreadable in some place while it is served: callers get one safe sentence, the operator at most one line a
 * minute, and the failing read is retried until it succeeds.
 */
import { ApiError } from '../../errors.ts'

/** Returns what to throw for an error of SQLite. `again` repeats what failed and changes nothing. */
export type NoteError = (error: unknown, again: () => void) => unknown

export type Damage = {
  readonly note: NoteError
  isFailing(): boolean
  /** Throws `unavailable` while the last failing read still fails. Nothing may be running on its connection. */
  check(): void
}

const linesEveryMs = 60_000
const retryAfterSeconds = 30
/** The result codes SQLITE_IOERR, SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [10, 11, 26]

function isDamage(error: unknown): error is Error {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' && damaged.includes(code & 0xff)
}

export function watchDamage(path: string, report: (message: string) => void): Damage {
  let failing: (() => void) | undefined
  let toldAtMs = Number.NEGATIVE_INFINITY
  let untold = 0

  function tell(error: Error): void {
    const nowMs = performance.now()
    if (nowMs - toldAtMs < linesEveryMs) {
      untold += 1
      return
    }
    const more = untold > 0 ? ` (and ${untold} times more since the last line)` : ''
    toldAtMs = nowMs
    untold = 0
    report(
      `The database ${path} cannot be read: ${error.message}${more}. Check it: sqlite3 '${path}' 'PRAGMA integrity_check'; if it is damaged, stop the server and restore a backup`,
    )
  }
  // Without a cause: the report above covers all requests that meet it.
  const unavailable = () => new ApiError('unavailable', 'The database cannot be read', { retryAfterSeconds })

  return {
    note(error, again) {
      if (!isDamage(error)) return error
      failing = again
      tell(error)
      return unavailable()
    },
    isFailing: () => failing !== undefined,
    check() {
      if (!failing) return
      try {
        failing()
      } catch (error) {
        if (isDamage(error)) throw unavailable()
      }
      failing = undefined
      toldAtMs = Number.NEGATIVE_INFINITY
      report(`The database ${path} can be read again`)
    },
  }
}
