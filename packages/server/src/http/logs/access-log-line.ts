/**
 * The line of a request as a text: to the byte the JSON of `requestFields`, which a logger makes in
 * six times the time. Of what the client sent, the path is escaped where it has to be, the method
 * is one that the parser knows, and its id, its trace and its address were checked where they were
 * read: they are ASCII, and nothing in them has to be escaped.
 */
import { timestampOf } from '../../base/clock.ts'
import { type AccessLogEntry, isPlainPath, quote, safePath } from './access-log-entry.ts'

const member = (name: string, value: string | undefined) => (value === undefined ? '' : `,"${name}":${quote(value)}`)

export function makeAccessLogLine(now: () => number = Date.now): (line: AccessLogEntry) => string {
  let latest = { ms: 0, text: '' }
  /** Many lines have the same millisecond. */
  function time(): string {
    const ms = now()
    if (ms !== latest.ms) latest = { ms, text: timestampOf(ms) }
    return latest.text
  }
  return ({ note, method, path, status, ms, address }) => {
    const { requestId, traceId, route, userId, keyId, operation, rows } = note
    const ids = traceId === undefined ? requestId : `${requestId}","traceId":"${traceId}`
    const shown = isPlainPath(path) ? `"${path}"` : quote(safePath(path))
    const asked = `"method":"${method}","path":${shown}${member('route', route)}`
    const caller = member('userId', userId) + member('keyId', keyId) + member('operation', operation)
    const answered = `"status":${status},"ms":${ms},"address":"${address}"${caller},"rows":${rows}`
    return `{"level":"info","time":"${time()}","requestId":"${ids}",${asked},${answered}}\n`
  }
}
