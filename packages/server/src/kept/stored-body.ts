/**
 * How the bytes of an answer are kept: as a text whose characters are bytes, as a buffer, or in a file. Texts lie among JavaScript's own objects,
 * which are moved together when others go; memory for each buffer comes from the system's allocator, which keeps several times as much in the end.
 * But a buffer is sent fastest, so what is asked for all the time is one. Another end of an answer, with another total, is in memory, so that it
 * writes nothing anew.
 */
import type { Latin1 } from '../value/latin1.ts'
import { type Lent, lend } from '../value/lent.ts'
import type { AnswerFile, Place } from './answer-file.ts'

/** In memory: a text whose characters are bytes, or a buffer. */
export type Plain = string | Buffer
/** To be sent: from memory, or read from the file. */
export type Given = Latin1 | Buffer | Lent

/** So many bytes in the file, and what follows them in memory: an end of ASCII, where it is another one than in the file. */
export type Filed = { readonly place: Place; readonly bytes: number; readonly end: string }

/** Smaller ones are not worth a page of the file. */
const largeMin = 1_024

/** A piece of memory to work in, as large as the largest answer was, in whole pages. */
let room = Buffer.alloc(4_096)

function makeRoom(bytes: number): void {
  if (room.length < bytes) room = Buffer.alloc(2 ** Math.ceil(Math.log2(bytes)))
}

/** In one piece, and holding nothing else: of a text that was joined or cut, the others would be kept. */
const textIn = (length: number) => room.toString('latin1', 0, length)

/** A text as the text of its bytes. */
export function storedBody(text: string): Plain {
  makeRoom(Buffer.byteLength(text))
  return textIn(room.write(text))
}

export function asText(body: Buffer): string {
  return body.toString('latin1')
}

/** As it is given. */
export function givenOf(body: Plain): Given {
  return typeof body === 'string' ? { latin1: body } : body
}

function copyIn(body: Plain): number {
  makeRoom(body.length)
  return typeof body === 'string' ? room.write(body, 'latin1') : body.copy(room)
}

export function isLarge({ length }: Plain): boolean {
  return length >= largeMin
}

/** Undefined where there is no file. */
export function putInto(file: AnswerFile, body: Plain): Filed | undefined {
  const bytes = copyIn(body)
  const place = file.put(room, bytes)
  return place && { place, bytes, end: '' }
}

/** The body to send; undefined where it is gone. */
export function readFrom(file: AnswerFile, { place, bytes, end }: Filed): Lent | undefined {
  const body = lend(bytes + end.length)
  if (!file.read(place, bytes, body.lent)) return undefined
  if (end !== '') body.lent.write(end, bytes, 'latin1')
  return body
}

/** The same body with another end, of ASCII, from that place on. */
export function withEnd(body: Plain, at: number, end: string): Plain {
  makeRoom(at + end.length)
  copyIn(body)
  return textIn(at + room.write(end, at, 'latin1'))
}

/** A buffer that is nobody else's, unless it was one before. */
export function asBuffer(body: Given): Buffer {
  if (Buffer.isBuffer(body)) return body
  if ('latin1' in body) return ownBuffer(body.latin1)
  const own = Buffer.allocUnsafeSlow(body.lent.length)
  body.lent.copy(own)
  return own
}

function ownBuffer(text: string): Buffer {
  const own = Buffer.allocUnsafeSlow(text.length)
  own.write(text, 'latin1')
  return own
}
