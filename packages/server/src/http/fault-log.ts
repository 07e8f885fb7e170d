/** Faults that callers are not told about, in the log: a bug each time, a part of the service that does not work once a minute. */
import { type ApiError, isFault } from '../errors.ts'
import { makeRepeatedLine, type RepeatedLine } from '../repeated-line.ts'
import type { Log } from './log.ts'

export function makeFaultLog(log: Log): (error: ApiError, requestId: string) => void {
  /** By sentence; those of parts that do not work are few, and none has anything of the request in it. */
  const away = new Map<string, RepeatedLine>()
  return (error, requestId) => {
    if (!isFault(error)) return
    const { code, message, cause } = error
    if (code !== 'unavailable') return log.error(message, cause ?? error, { requestId })
    let line = away.get(message)
    if (!line) {
      let isFirst = true
      line = makeRepeatedLine((text) => {
        if (isFirst) log.error(text, cause ?? error, { requestId })
        else log.warn(text)
        isFirst = false
      })
      away.set(message, line)
    }
    line.tell(message)
  }
}
