/**
 * The line of a request as bytes: to the byte the JSON of `requestFields`. Every request pays for it, so what lines have in common is kept as
 * bytes and copied, and only what differs is written between: time, ids, path and duration (docs/decisions/0101).
 */
import { timestampOf } from '../../base/clock.ts'
import { ownCopy } from '../../value/own-copy.ts'
import { isPlainPath, quote, type RequestLine, safePath } from './request-line.ts'
import type { Lines } from './standard-output.ts'

const [zero, point] = [...Buffer.from('0.')] as [number, number]

const beforeTime = '{"level":"info","time":"'
const beforeId = '","requestId":"'
const timeAt = beforeTime.length
const msAt = timeAt + '2026-01-01T00:00:00.'.length
const idAt = msAt + '000Z'.length + beforeId.length

/** Three digits: `005` for 5. */
function putThousandths(bytes: Buffer, at: number, thousandths: number): void {
  bytes[at] = zero + Math.floor(thousandths / 100)
  bytes[at + 1] = zero + (Math.floor(thousandths / 10) % 10)
  bytes[at + 2] = zero + (thousandths % 10)
}

/** A line up to its path, with a gap for its ids. */
type Opening = { readonly bytes: Buffer; readonly idsLength: number; second: number; nowMs: number }

/** Within a second, only the end of a time in RFC 3339 changes. */
function setTime(opening: Opening, nowMs: number): void {
  const second = Math.floor(nowMs / 1000)
  if (second !== opening.second) opening.bytes.write(timestampOf(nowMs), timeAt, 'latin1')
  else putThousandths(opening.bytes, msAt, nowMs - second * 1000)
  opening.second = second
  opening.nowMs = nowMs
}

/** The one of a method, its gap as long as the last one's: nearly all requests have ids of one form. */
function makeOpenings(): (method: string, idsLength: number, nowMs: number) => Buffer {
  const made = new Map<string, Opening>()
  return (method, idsLength, nowMs) => {
    let opening = made.get(method)
    if (opening?.idsLength !== idsLength) {
      const gap = ' '.repeat(idsLength)
      const text = `${beforeTime}${timestampOf(nowMs)}${beforeId}${gap}","method":"${method}","path":"`
      opening = { bytes: Buffer.from(text), idsLength, second: Math.floor(nowMs / 1000), nowMs }
      made.set(method, opening)
    } else if (opening.nowMs !== nowMs) setTime(opening, nowMs)
    return opening.bytes
  }
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quote(value)}`
}

/** What stands between path and duration, of each route and status: `","route":"/things/:id","status":200,"ms":` */
function makeRoutes(): (route: string | undefined, status: number) => Buffer {
  const made = new Map<string | undefined, Map<number, Buffer>>()
  return (route, status) => {
    let ofRoute = made.get(route)
    if (!ofRoute) {
      ofRoute = new Map()
      made.set(route, ofRoute)
    }
    let bytes = ofRoute.get(status)
    if (!bytes) {
      bytes = ownCopy(Buffer.from(`"${member('route', route)},"status":${status},"ms":`))
      ofRoute.set(status, bytes)
    }
    return bytes
  }
}

type Who = Pick<RequestLine['note'], 'userId' | 'keyId' | 'operation' | 'rows'> & Pick<RequestLine, 'address'>
type Ending = Who & { readonly text: string; bytes: Buffer | undefined }

function isOf(ending: Ending, { note, address }: RequestLine): boolean {
  const { userId, keyId, operation, rows } = note
  return (
    ending.address === address &&
    ending.rows === rows &&
    ending.userId === userId &&
    ending.keyId === keyId &&
    ending.operation === operation
  )
}

/** What stands behind the duration: who asked, and how many rows were read. It is kept as bytes from the second line in a row that has it. */
function makeEndings(): (line: RequestLine) => Ending {
  let last: Ending | undefined
  return (line) => {
    if (last && isOf(last, line)) {
      last.bytes ??= Buffer.from(last.text)
      return last
    }
    const { userId, keyId, operation, rows } = line.note
    const who = member('userId', userId) + member('keyId', keyId) + member('operation', operation)
    const text = `,"address":"${line.address}"${who},"rows":${rows}}\n`
    last = { address: line.address, userId, keyId, operation, rows, text, bytes: undefined }
    return last
  }
}

function putEnding(bytes: Buffer, at: number, { text, bytes: own }: Ending): number {
  if (!own) return at + bytes.write(text, at)
  bytes.set(own, at)
  return at + own.length
}

const durationLengthMax = 20

/** `2.5` → `2.5`, as JSON has it: to print a number with decimals costs more than most of a line. Returns where it ends. */
function putDuration(bytes: Buffer, at: number, ms: number): number {
  const us = Math.round(ms * 1000)
  const whole = Math.floor(us / 1000)
  let end = at
  if (whole < 10) bytes[end++] = zero + whole
  else end += bytes.write(String(whole), at, 'latin1')
  const rest = us - whole * 1000
  if (rest === 0) return end
  bytes[end] = point
  putThousandths(bytes, end + 1, rest)
  if (rest % 10 > 0) return end + 4
  return rest % 100 > 0 ? end + 3 : end + 2
}

/** What a text takes as UTF-8, at most. */
const bytesMax = (text: string) => text.length * 3

/**
 * Writes the line of each request. Of what the client sent, the path is escaped where it has to be, the method is one that the parser knows,
 * and its id, its trace and its address were checked where they were read: they are ASCII, and nothing in them has to be escaped.
 */
export function makeWriteRequest(
  { room, wrote }: Pick<Lines, 'room' | 'wrote'>,
  now: () => number = Date.now,
): (line: RequestLine) => void {
  const [openingOf, routeOf, endingOf] = [makeOpenings(), makeRoutes(), makeEndings()]
  return (line) => {
    const { note, method, path, status, ms } = line
    const { requestId, traceId, route } = note
    const ids = traceId === undefined ? requestId : `${requestId}","traceId":"${traceId}`
    const opening = openingOf(method, ids.length, now())
    const isPlain = isPlainPath(path)
    const shown = isPlain ? path : quote(safePath(path)).slice(1, -1)
    const middle = routeOf(route, status)
    const ending = endingOf(line)
    const most = opening.length + bytesMax(shown) + middle.length + durationLengthMax + bytesMax(ending.text)
    const into = room(most)
    const { bytes, at } = into
    bytes.set(opening, at)
    bytes.write(ids, at + idAt, 'latin1')
    const pathAt = at + opening.length
    const middleAt = pathAt + bytes.write(shown, pathAt, isPlain ? 'latin1' : 'utf8')
    bytes.set(middle, middleAt)
    wrote(into, putEnding(bytes, putDuration(bytes, middleAt + middle.length, ms), ending))
  }
}
