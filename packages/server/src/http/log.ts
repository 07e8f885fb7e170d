/** Logs: one JSON line a request, pretty on a terminal. A line holds no credential: of queries, headers, bodies and cookies nothing is written. */
import { destination, pino } from 'pino'
import pretty from 'pino-pretty'
import { timestampOf } from '../clock.ts'
import type { Config } from '../config.ts'

export type RequestLine = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly address: string
}

export type Log = {
  request(line: RequestLine): void
  info(message: string, detail?: Readonly<Record<string, unknown>>): void
  warn(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** Shown whatever the level is: where the service is to be found. */
  ready(message: string): void
  /** A fault: what the caller was not told. */
  error(message: string, error: unknown, detail?: Readonly<Record<string, unknown>>): void
  /** Resolves when everything is written. */
  flush(): Promise<void>
}

const bufferBytes = 32_768
const flushMs = 250

/** A path can hold a key by mistake too, escaped or not: what looks like one is cut. */
export function safePath(path: string): string {
  const plain = path.includes('%')
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : path
  if (!plain.includes('bk_') && !plain.includes('eyJ')) return path.slice(0, 500)
  return plain.slice(0, 500).replace(/(bk_|eyJ)[A-Za-z0-9._-]+/g, '$1…')
}

/** RFC 3339, made once a millisecond. */
function makeClock(): () => string {
  let atMs = 0
  let text = ''
  return () => {
    const nowMs = Date.now()
    if (nowMs !== atMs) {
      atMs = nowMs
      text = timestampOf(nowMs)
    }
    return text
  }
}

/**
 * The same line as the logger writes, made for its one shape: this is the only line that every request pays for. Of what a client sent,
 * the path is escaped; the method is a word of the parser's list, and the address was checked where it was read.
 */
function requestText(time: string, { requestId, method, path, status, ms, address }: RequestLine): string {
  return `{"level":"info","time":"${time}","requestId":"${requestId}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms},"address":"${address}"}\n`
}

export function makeLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  const people = process.stdout.isTTY === true
  const stream = people
    ? pretty({ colorize: process.stdout.hasColors(), ignore: 'pid,hostname', sync: true })
    : destination({ fd: 1, minLength: bufferBytes, maxWrite: 2 * bufferBytes, sync: false })
  const now = makeClock()
  const logger = pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
  const flush = () =>
    new Promise<void>((resolve) => {
      if (people || !('flush' in stream)) resolve()
      else stream.flush(() => resolve())
    })
  // Lines are gathered so that a busy server does not pay a system call for each; a quiet one still shows them at once.
  if (!people) setInterval(() => 'flush' in stream && stream.flush(), flushMs).unref()
  return {
    request(line) {
      if (people || !('write' in stream)) logger.info(line)
      else if (logger.isLevelEnabled('info')) stream.write(requestText(now(), line))
    },
    ready: (message) => logger.child({}, { level: 'info' }).info(message),
    info: (message, detail) => logger.info(detail ?? {}, message),
    warn: (message, detail) => logger.warn(detail ?? {}, message),
    error: (message, error, detail) => logger.error({ ...detail, err: error }, message),
    flush,
  }
}
