/**
 * The log: one JSON line a request, formatted for people on a terminal. No line contains a
 * credential: queries, headers, bodies and cookies are never logged.
 */
import { createRequire } from 'node:module'
import { pino } from 'pino'
import { errorOf } from '../../base/outcomes/thrown-error.ts'
import { type Config, logLevels } from '../../config.ts'
import { type AccessLogEntry, requestFields, visible } from './access-log-entry.ts'
import { makeAccessLogLine } from './access-log-line.ts'
import { type LogWriter, makeLogWriter } from './log-writer.ts'

export type Log = {
  request(line: AccessLogEntry): void
  info(message: string, detail?: Readonly<Record<string, unknown>>): void
  warn(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** Logs the address of the service, at every level. */
  ready(message: string): void
  /** Logs an internal error, with the cause that the caller was not told. */
  error(message: string, error: unknown, detail?: Readonly<Record<string, unknown>>): void
  /** Undefined restores the configured level. An unknown level changes nothing. */
  setLevel(level: string | undefined): void
  /** Resolves when all lines are written. */
  flush(): Promise<void>
}

// Used on terminals alone; loading it takes as long as loading the logger.
const loadPretty = () => createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')

/** Escapes invisible characters in the logger's own lines; only their line feed stays. */
function escaping(lines: LogWriter): Pick<LogWriter, 'write'> {
  return { write: (line) => lines.write(`${visible(line.slice(0, -1))}\n`) }
}

export function makeLog({ logLevel, workers }: Pick<Config, 'logLevel' | 'workers'>): Log {
  const people = process.stdout.isTTY === true
  const lines = people ? undefined : makeLogWriter({ isAlone: workers === 1 })
  const stream = lines
    ? escaping(lines)
    : loadPretty()({ colorize: process.stdout.hasColors(), ignore: 'pid,hostname', sync: true })
  const requestText = makeAccessLogLine()
  const logger = pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
  return {
    request(line) {
      if (!lines) logger.info(requestFields(line))
      else if (logger.isLevelEnabled('info')) lines.write(requestText(line))
    },
    ready: (message) => logger.child({}, { level: 'info' }).info(message),
    info: (message, detail) => logger.info(detail ?? {}, message),
    warn: (message, detail) => logger.warn(detail ?? {}, message),
    error: (message, error, detail) => logger.error({ ...detail, err: errorOf(error) }, message),
    setLevel(level = logLevel) {
      if (logLevels.some((one) => one === level)) logger.level = level
    },
    flush: async () => lines?.flush(),
  }
}
