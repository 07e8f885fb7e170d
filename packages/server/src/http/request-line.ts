/**
 * The line of a request in the log. It is built for this one shape, because every request pays for it. It contains no credential: queries,
 * headers, bodies and cookies are never logged, and nothing in it is invisible.
 */
import { timestampOf } from '../clock.ts'
import type { RequestNote } from '../observe/request-note.ts'

export type RequestLine = {
  readonly note: RequestNote
  readonly method: string
  /** As the client sent it, without its query. */
  readonly path: string
  readonly status: number
  /** To three decimals. */
  readonly ms: number
  /** When it ended, of `performance.now()`. */
  readonly endedMs: number
  readonly address: string
}

const pathCharactersMax = 500

/** A path may contain a key or token by mistake, percent-encoded or not: whatever looks like one is cut. */
function safePath(path: string): string {
  const decoded = path.includes('%')
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : path
  if (!decoded.includes('bk_') && !decoded.includes('eyJ')) return path.slice(0, pathCharactersMax)
  return decoded.slice(0, pathCharactersMax).replace(/(bk_|eyJ)[A-Za-z0-9._-]+/g, '$1…')
}

/** What a line says of a request, in its order. */
export function requestFields({ note, method, path, status, ms, address }: RequestLine): Record<string, unknown> {
  const { requestId, traceId, route, userId, keyId, operation, rows } = note
  const who = { userId, keyId, operation }
  return { requestId, traceId, method, path: safePath(path), route, status, ms, address, ...who, rows }
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * JSON in which nothing is invisible: whoever reads a log must not be shown a text in another order than it has (U+202E), or another line.
 */
export function visible(json: string): string {
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

/**
 * Characters for which a path is looked at more closely: those that JSON escapes, `%`, and the `_` and `J` that any credential begins with
 * (`bk_`, `eyJ`). To look for one class of characters costs half of what it costs to look for those words too.
 */
const odd = /[^!#-$&-IK-[\]^`-~]/

/** What stands between the quotation marks. */
function pathText(path: string): string {
  return path.length > pathCharactersMax || odd.test(path) ? quote(safePath(path)).slice(1, -1) : path
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quote(value)}`
}

/**
 * The same text in one piece. What `+` or a template has joined is kept as its pieces until somebody reads it, and each line that contains
 * it would join all of them anew.
 */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}

const trustedMs = 100

/**
 * The beginning of a line, up to the id: made once a millisecond, and its time in RFC 3339 once a second. Takes a time of `performance.now()`,
 * which is known when a request ends, and asks the system for the time of day no more often than it must.
 */
function makeBeginning(): (endedMs: number) => string {
  let offsetMs = 0
  let askedMs = Number.NEGATIVE_INFINITY
  let atMs = 0
  let atSecond = 0
  let toSecond = ''
  let text = ''
  return (endedMs) => {
    if (endedMs - askedMs > trustedMs) {
      offsetMs = Date.now() - performance.now()
      askedMs = endedMs
    }
    const nowMs = Math.round(endedMs + offsetMs)
    if (nowMs === atMs) return text
    atMs = nowMs
    const second = Math.floor(nowMs / 1000)
    if (second !== atSecond) {
      atSecond = second
      toSecond = timestampOf(second * 1000).slice(0, -4) // without `000Z`
    }
    const time = `${toSecond}${String(nowMs % 1000).padStart(3, '0')}Z`
    text = inOnePiece(`{"level":"info","time":"${time}","requestId":"`)
    return text
  }
}

/** `.05` for 50: printing a number with decimals costs more than most of a line. */
const thousandths = Array.from({ length: 1000 }, (_, i) => (i === 0 ? '' : String(i / 1000).slice(1)))

/** `2.5` → `2.5`, as JSON has it. */
function msText(ms: number): string {
  const us = Math.round(ms * 1000)
  const whole = Math.floor(us / 1000)
  return whole + (thousandths[us - whole * 1000] as string)
}

/** What stands between path and duration, of each route and status: `","route":"/things/:id","status":200,"ms":` */
function makeRouteTexts(): (route: string | undefined, status: number) => string {
  const made = new Map<string | undefined, Map<number, string>>()
  return (route, status) => {
    let byStatus = made.get(route)
    if (!byStatus) {
      byStatus = new Map()
      made.set(route, byStatus)
    }
    let text = byStatus.get(status)
    if (text === undefined) {
      text = inOnePiece(`"${member('route', route)},"status":${status},"ms":`)
      byStatus.set(status, text)
    }
    return text
  }
}

const rowsText = (rows: number) => `,"rows":${rows}}\n`
/** Of as many rows as most answers have. */
const rowsTexts = Array.from({ length: 101 }, (_, rows) => inOnePiece(rowsText(rows)))

/**
 * The same line as the logger would write, of few pieces: each costs. Of what the client sent, the path is escaped, the method is one that
 * the parser knows, and its id, its trace and its address were checked where they were read.
 */
export function makeRequestText(): (line: RequestLine) => string {
  const beginning = makeBeginning()
  const routeText = makeRouteTexts()
  return ({ note, method, path, status, ms, endedMs, address }) => {
    const { requestId, traceId, route, userId, keyId, operation, rows } = note
    const trace = traceId === undefined ? '' : `","traceId":"${traceId}`
    const asked = method === 'GET' ? '","method":"GET","path":"' : `","method":"${method}","path":"`
    const isKnown = userId !== undefined || operation !== undefined
    const who = isKnown ? member('userId', userId) + member('keyId', keyId) + member('operation', operation) : ''
    const begun = beginning(endedMs) + requestId + trace + asked + pathText(path) + routeText(route, status)
    return `${begun}${msText(ms)},"address":"${address}"${who}${rowsTexts[rows] ?? rowsText(rows)}`
  }
}
