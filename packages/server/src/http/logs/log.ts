/**
 * Logs: one JSON line a request, pretty on a terminal. No line contains a credential: queries,
 * headers, bodies and cookies are never logged.
 */
import { createRequire } from 'node:module'
import { pino } from 'pino'
import { type Config, logLevels } from '../../config.ts'
import { type AccessLogEntry, requestFields, visible } from './access-log-entry.ts'
import { makeAccessLogLine } from './access-log-line.ts'
import { type LogWriter, makeLogWriter } from './log-writer.ts'

export type Log = {
  request(line: AccessLogEntry): void
  info(message: string, detail?: Readonly<Record<string, unknown>>): void
  warn(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** Shown at every level: the address of the service. */
  ready(message: string): void
  /** A fault, with what the caller was not told. */
  error(message: string, error: unknown, detail?: Readonly<Record<string, unknown>>): void
  /** Undefined: the level of the configuration. A level that is none changes nothing. */
  setLevel(level: string | undefined): void
  /** Resolves when everything is written. */
  flush(): Promise<void>
}

// For terminals alone, and it takes as long to load as the logger itself.
const loadPretty = () => createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')

/** The logger's own lines: they end with the only character that is not shown. */
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
    error: (message, error, detail) => logger.error({ ...detail, err: error }, message),
    setLevel(level = logLevel) {
      if (logLevels.some((one) => one === level)) logger.level = level
    },
    flush: async () => lines?.flush(),
  }
}
