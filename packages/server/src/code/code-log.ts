/** Lines of the log that code of an application writes: each names the code. */
import { unguarded } from '../record/guard/guarded-code.ts'
import type { CodeLog } from '../resource/code/code-context.ts'

type LogDetail = Readonly<Record<string, unknown>>

/** The members that a line has itself. A second one of the same name would hide the first one. */
const ofLine: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'code', 'err', 'detail'])

/** `{ order: 7, time: 3 }` → `{ order: 7, detail: { time: 3 } }` */
function besideOwn(detail: LogDetail | undefined): LogDetail {
  const entries = Object.entries(detail ?? {})
  const own = entries.filter(([name]) => ofLine.has(name))
  if (own.length === 0) return { ...detail }
  return { ...Object.fromEntries(entries.filter(([name]) => !ofLine.has(name))), detail: Object.fromEntries(own) }
}

export function logOfCode(log: CodeLog, code: string): CodeLog {
  return {
    info: (message, detail) => unguarded(() => log.info(message, { ...besideOwn(detail), code })),
    warn: (message, detail) => unguarded(() => log.warn(message, { ...besideOwn(detail), code })),
    error: (message, error, detail) => unguarded(() => log.error(message, error, { ...besideOwn(detail), code })),
  }
}
