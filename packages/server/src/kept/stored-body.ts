/**
 * How the bytes of an answer are kept: as a text whose characters are bytes, as a buffer, or in a file. Texts lie among JavaScript's own objects,
 * which are moved together when others go; memory for each buffer comes from the system's allocator, which keeps several times as much in the end.
 * But a buffer is sent fastest, so what is asked for all the time is one. The end of an answer, with its total, stays in memory, so that another
 * total writes nothing anew.
 */
import type { Latin1 } from '../value/latin1.ts'
import type { AnswerFile } from './answer-file.ts'

/** What is sent: a text or a buffer. */
export type Plain = Latin1 | Buffer

/** So many bytes in the file, and the end that follows them. */
export type Filed = { readonly at: number; readonly bytes: number; readonly end: string }

/** Smaller ones are not worth a page of the file. */
const largeMin = 1_024

/** A piece of memory to work in, as large as the largest answer was, in whole pages. */
let room = Buffer.alloc(4_096)

function makeRoom(bytes: number): void {
  if (room.length < bytes) room = Buffer.alloc(2 ** Math.ceil(Math.log2(bytes)))
}

/** In one piece, and holding nothing else: of a text that was joined or cut, the others would be kept. */
const textIn = (length: number): Latin1 => ({ latin1: room.toString('latin1', 0, length) })

export function storedBody(text: string): Latin1 {
  makeRoom(Buffer.byteLength(text))
  return textIn(room.write(text))
}

export function asText(body: Buffer): Latin1 {
  return { latin1: body.toString('latin1') }
}

function copyIn(body: Plain): number {
  makeRoom(sizeOfBody(body))
  return Buffer.isBuffer(body) ? body.copy(room) : room.write(body.latin1, 'latin1')
}

export function isLarge(body: Plain): boolean {
  return sizeOfBody(body) >= largeMin
}

/** `at`: where the end begins that stays in memory. Undefined where there is no file. */
export function putInto(file: AnswerFile, body: Plain, at: number = sizeOfBody(body)): Filed | undefined {
  const length = copyIn(body)
  const end = room.toString('latin1', at, length)
  const place = file.put(room, at)
  return place === undefined ? undefined : { at: place, bytes: at, end }
}

/** The body to send; undefined where it is gone. Its memory is its own, so whoever sends it takes nothing from JavaScript's heap. */
export function readFrom(file: AnswerFile, { at, bytes, end }: Filed): Buffer | undefined {
  const body = Buffer.allocUnsafeSlow(bytes + end.length)
  if (!file.read(at, bytes, body)) return undefined
  body.write(end, bytes, 'latin1')
  return body
}

/** The same body with another end, of ASCII, from that place on. */
export function withEnd(body: Plain, at: number, end: string): Latin1 {
  makeRoom(at + end.length)
  copyIn(body)
  return textIn(at + room.write(end, at, 'latin1'))
}

export function asBuffer(body: Plain): Buffer {
  if (Buffer.isBuffer(body)) return body
  const own = Buffer.allocUnsafeSlow(body.latin1.length)
  own.write(body.latin1, 'latin1')
  return own
}

export function sizeOfBody(body: Plain): number {
  return Buffer.isBuffer(body) ? body.length : body.latin1.length
}
