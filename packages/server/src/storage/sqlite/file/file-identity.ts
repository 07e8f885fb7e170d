/**
 * Checks that the open files are still those at their paths. A deleted or replaced file stays open,
 * and takes writes that are lost. So each commit checks before its response, and a timer checks
 * between writes.
 */

import { makeRepeatedLine } from '../../../base/repeated-line.ts'
import { ApiError } from '../../../errors.ts'
import { identityOf } from './served-file.ts'

const everyMs = 500
const retryAfterSeconds = 30

export type FileIdentityCheck = {
  /**
   * Throws `unavailable` where another file is there, or none. It makes two system calls of some
   * microseconds.
   */
  check(): void
  stop(): void
}

/** Call it after the connections have opened. */
export function watchFileIdentity(path: string, report: (message: string) => void): FileIdentityCheck {
  const log = `${path}-wal`
  const line = makeRepeatedLine(report)
  const opened = identityOf(path)
  /** Created by the first connection, and kept until the last one closes. */
  let openedLog = identityOf(log)
  let isAway = false

  function look(): string | undefined {
    const now = identityOf(path)
    if (now !== opened)
      return now === undefined ? `${path} is gone` : `${path} is another file than the one that is open`
    const nowLog = identityOf(log)
    openedLog ??= nowLog
    return nowLog === openedLog
      ? undefined
      : `${log} is ${nowLog === undefined ? 'gone' : 'another file than the one that is open'}`
  }

  /** Returns the fault, or undefined; reports each change. */
  function see(): string | undefined {
    const problem = look()
    if (problem === undefined && isAway) {
      line.end()
      report(`The database ${path} is in its place again`)
    } else if (problem !== undefined && !isAway)
      line.tell(
        `The database file ${problem}: the server refuses writes, which would be lost. Put the file back, or stop the server, restore a backup and start it; bindery doctor says more`,
      )
    isAway = problem !== undefined
    return problem
  }

  const timer = setInterval(see, everyMs).unref()
  return {
    check() {
      if (see() !== undefined)
        throw new ApiError('unavailable', 'The database is not in its place', { retryAfterSeconds })
    },
    stop: () => clearInterval(timer),
  }
}
