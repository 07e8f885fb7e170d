/**
 * Prints the status line and headers of a response as text, for the common cases
 * (docs/decisions/0103). Node's `writeHead` checks each header for its effect on the connection.
 * That takes 2 of the 11 µs that a bare server needs for a small response.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { errorCodes } from '../../errors.ts'
import { inOnePiece } from '../../value/latin1.ts'
import { holdHead } from '../node/undocumented-node.ts'
import { addGuardHeaders, guardLines } from './guard-headers.ts'

export type SentHeaders = Record<string, string | string[] | number>

/** Characters that could end a header early, or that parsers read differently. */
const odd = /[^\t\x20-\x7e]/

export const lineOf = (name: string, value: string | number) => `${name}: ${value}\r\n`

/**
 * The lines of headers that many responses share, printed once. Undefined where Node has to check a
 * value.
 */
export function printLines(headers: Readonly<Record<string, string>>): string | undefined {
  const lines = Object.entries(headers).map(([name, value]) => (odd.test(value) ? undefined : lineOf(name, value)))
  return lines.includes(undefined) ? undefined : inOnePiece(lines.join(''))
}

/** The headers that were printed. */
export function readLines(printed: string): Record<string, string> {
  const lines = printed.split('\r\n').slice(0, -1)
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}

/** The lines of headers; undefined where Node has to check a value. */
function linesOf(headers: SentHeaders): string | undefined {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string' ? odd.test(value) : typeof value !== 'number') return undefined
    lines += lineOf(name, value as string | number)
  }
  return lines
}

let dateLine: string | undefined

/** Changes once a second (RFC 9110, section 6.6.1). */
function lineOfDate(): string {
  if (dateLine !== undefined) return dateLine
  const now = new Date()
  dateLine = `Date: ${now.toUTCString()}\r\n`
  const forget = () => {
    dateLine = undefined
  }
  setTimeout(forget, 1000 - now.getMilliseconds()).unref()
  return dateLine
}

/** Node's reason phrases, and those of statuses that Node does not know. */
const reasons: Readonly<Record<number, string | undefined>> = {
  ...Object.fromEntries(Object.values(errorCodes).map(({ status, title }) => [status, title])),
  ...STATUS_CODES,
}
const statusLines = new Map(
  Object.entries(reasons).map(([status, words]) => [Number(status), `HTTP/1.1 ${status} ${words}\r\n`]),
)

/** Whether the connection is a persistent one of HTTP/1.1: its header lines are always the same. */
function staysOpen({ req, shouldKeepAlive }: ServerResponse, { connection }: SentHeaders): boolean {
  return shouldKeepAlive && connection === undefined && req.httpVersionMajor === 1 && req.httpVersionMinor === 1
}

/** `printed`: lines of further headers. */
export type ResponseHead = {
  readonly status: number
  readonly headers: SentHeaders
  readonly printed?: string | undefined
}
type WriteHeadTo = (raw: ServerResponse, head: ResponseHead) => void

/**
 * `whole`: for a response whose headers give its length, or that has no body. `open`: for one whose
 * length is not known yet.
 */
export type WriteHead = { readonly whole: WriteHeadTo; readonly open: WriteHeadTo }

/** `keepAliveTimeoutMs`: the time that persistent connections announce. */
export function makeWriteHead(keepAliveTimeoutMs: number): WriteHead {
  const keepAlive = `timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`
  const end = `Connection: keep-alive\r\nKeep-Alive: ${keepAlive}\r\n\r\n`

  const open: WriteHeadTo = (raw, { status, headers, printed }) => {
    if (printed !== undefined) Object.assign(headers, readLines(printed))
    addGuardHeaders(headers)
    if (raw.shouldKeepAlive && headers.connection === undefined) headers['keep-alive'] = keepAlive
    raw.writeHead(status, reasons[status], headers)
  }
  return {
    open,
    whole(raw, head) {
      const { status, headers, printed = '' } = head
      const first = statusLines.get(status)
      const lines = first !== undefined && staysOpen(raw, headers) ? linesOf(headers) : undefined
      if (lines === undefined) return open(raw, head)
      raw.statusCode = status
      holdHead(raw, first + lines + printed + guardLines(headers) + lineOfDate() + end)
    },
  }
}
