/**
 * Logs internal errors that callers are not told about. Bugs are logged each time. While a part of
 * the service is down, its error is logged at most once a minute.
 */

import { makeRepeatedLine, type RepeatedLine } from '../../base/repeated-line.ts'
import { ApiError, isFault } from '../../errors.ts'
import type { Log } from './log.ts'

type Fault = { readonly cause: unknown; readonly requestId: string | undefined }

/** A sentence, and its latest fault. */
type OutageLine = { readonly line: RepeatedLine; latest: Fault }

function makeAway(log: Log, latest: Fault): OutageLine {
  const away: OutageLine = {
    latest,
    line: makeRepeatedLine((text) => log.error(text, away.latest.cause, { requestId: away.latest.requestId })),
  }
  return away
}

export type LogFault = (error: ApiError, requestId: string | undefined) => void

export function makeFaultLog(log: Log): LogFault {
  /** By sentence. There are few, because none contains anything of a request. */
  const away = new Map<string, OutageLine>()
  return (given, requestId) => {
    const { cause } = given
    const error = cause instanceof ApiError && cause.code === given.code ? cause : given
    if (!isFault(error)) return
    const { code, message } = error
    const fault = { cause: error.cause ?? error, requestId }
    if (code !== 'unavailable') return log.error(message, fault.cause, { requestId })
    const known = away.get(message) ?? makeAway(log, fault)
    known.latest = fault
    away.set(message, known)
    known.line.tell(message)
  }
}
