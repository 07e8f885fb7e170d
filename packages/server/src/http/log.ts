/** Logs: one JSON line a request, pretty on a terminal. No line contains a credential: queries, headers, bodies and cookies are never logged. */
import { createRequire } from 'node:module'
import { destination, pino } from 'pino'
import { timestampOf } from '../clock.ts'
import { type Config, logLevels } from '../config.ts'
import type { RequestNote } from '../observe/request-note.ts'

export type RequestLine = {
  readonly note: RequestNote
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

const joinedCharacters = 16_384
const flushMs = 250

type Lines = { write(line: string): void; flush(): Promise<void> }

/**
 * Lines on standard output, many in one system call, and in the order in which they were written; a quiet server writes them within
 * `flushMs`. They are gathered here because the stream measures all that it holds anew with every line.
 */
function makeLines(): Lines {
  const stream = destination({ fd: 1, sync: false })
  let waiting: string[] = []
  let characters = 0
  function handOver(): void {
    if (characters === 0) return
    stream.write(waiting.join(''))
    waiting = []
    characters = 0
  }
  setInterval(handOver, flushMs).unref()
  process.on('exit', () => {
    handOver()
    stream.flushSync()
  })
  return {
    write(line) {
      waiting.push(line)
      characters += line.length
      if (characters >= joinedCharacters) handOver()
    },
    flush() {
      handOver()
      return new Promise((resolve) => stream.flush(() => resolve()))
    },
  }
}

/** The logger's own lines: they end with the only character that is not shown. */
function escaping(lines: Lines): Pick<Lines, 'write'> {
  return { write: (line) => lines.write(`${visible(line.slice(0, -1))}\n`) }
}

/** A path may contain a key or token by mistake, percent-encoded or not: whatever looks like one is cut. */
export function safePath(path: string): string {
  const plain = path.includes('%')
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : path
  if (!plain.includes('bk_') && !plain.includes('eyJ')) return path.slice(0, 500)
  return plain.slice(0, 500).replace(/(bk_|eyJ)[A-Za-z0-9._-]+/g, '$1…')
}

/** The time in RFC 3339: formatted once a second, and of each millisecond its three digits. */
function makeClock(): () => string {
  let atMs = 0
  let atSecond = 0
  let toSecond = ''
  let text = ''
  return () => {
    const nowMs = Date.now()
    if (nowMs === atMs) return text
    atMs = nowMs
    const second = Math.floor(nowMs / 1000)
    if (second !== atSecond) {
      atSecond = second
      toSecond = timestampOf(second * 1000).slice(0, -4) // without `000Z`
    }
    text = `${toSecond}${String(nowMs % 1000).padStart(3, '0')}Z`
    return text
  }
}

/** What a line says of a request, in its order. */
export function requestFields({ note, method, path, status, ms, address }: RequestLine): Record<string, unknown> {
  const { requestId, traceId, route, userId, keyId, operation, rows } = note
  return { requestId, traceId, method, path, route, status, ms, address, userId, keyId, operation, rows }
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * JSON in which nothing is invisible: whoever reads a log must not be shown a text in another order than it has (U+202E), or another line.
 */
function visible(json: string): string {
  if (!invisible.test(json)) return json
  return json.replace(new RegExp(invisible, 'gu'), (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** Nothing in it has to be escaped: no space, quotation mark or backslash, and all of it is ASCII. */
const plain = /^[!#-[\]-~]*$/

/** JSON in which nothing is invisible, of any text. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : visible(JSON.stringify(text))
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quote(value)}`
}

/**
 * The same line as the logger writes, but built for this one shape, because every request pays for it. Of what the client sent, the path
 * is escaped, the method is one that the parser knows, and its id, its trace and its address were checked where they were read.
 */
function requestText(time: string, { note, method, path, status, ms, address }: RequestLine): string {
  const { requestId, traceId, route, userId, keyId, operation, rows } = note
  const before = `{"level":"info","time":"${time}","requestId":"${requestId}"${member('traceId', traceId)},"method":"${method}"`
  const asked = `,"path":${quote(path)}${member('route', route)},"status":${status},"ms":${ms}`
  const who = `,"address":"${address}"${member('userId', userId)}${member('keyId', keyId)}${member('operation', operation)}`
  return `${before}${asked}${who},"rows":${rows}}\n`
}

export function makeLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  const people = process.stdout.isTTY === true
  const lines = people ? undefined : makeLines()
  const stream = lines
    ? escaping(lines)
    : loadPretty()({ colorize: process.stdout.hasColors(), ignore: 'pid,hostname', sync: true })
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
  return {
    request(line) {
      if (!lines) logger.info(requestFields(line))
      else if (logger.isLevelEnabled('info')) lines.write(requestText(now(), line))
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
