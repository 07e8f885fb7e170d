/**
 * Prints the log line of a request: byte for byte the JSON of `requestFields`, in a sixth of the
 * logger's time. Only the path may need escapes. The parser knows the method; id, trace and address
 * were validated when they were read, as ASCII without characters that JSON escapes.
 */
import { timestampOf } from '../../base/clock.ts'
import { type AccessLogEntry, isPlainPath, quote, safePath } from './access-log-entry.ts'

const member = (name: string, value: string | undefined) => (value === undefined ? '' : `,"${name}":${quote(value)}`)

export function makeAccessLogLine(now: () => number = Date.now): (line: AccessLogEntry) => string {
  let latest = { ms: 0, text: '' }
  /** Lines often share a millisecond, so its text is cached. */
  function time(): string {
    const ms = now()
    if (ms !== latest.ms) latest = { ms, text: timestampOf(ms) }
    return latest.text
  }
  return ({ note, method, path, status, ms, address }) => {
    const { requestId, traceId, route, userId, keyId, viewerId, operation, rows } = note
    const ids = traceId === undefined ? requestId : `${requestId}","traceId":"${traceId}`
    const shown = isPlainPath(path) ? `"${path}"` : quote(safePath(path))
    const asked = `"method":"${method}","path":${shown}${member('route', route)}`
    const caller =
      member('userId', userId) + member('keyId', keyId) + member('viewerId', viewerId) + member('operation', operation)
    const answered = `"status":${status},"ms":${ms},"address":"${address}"${caller},"rows":${rows}`
    return `{"level":"info","time":"${time()}","requestId":"${ids}",${asked},${answered}}\n`
  }
}
