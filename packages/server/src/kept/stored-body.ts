/**
 * How the bytes of an answer are kept: as a text whose characters are bytes, as a buffer, or packed. Texts lie among JavaScript's own objects,
 * which are moved together when others go; memory for each buffer comes from the system's allocator, which keeps several times as much in the end.
 * But a buffer is sent fastest, so what is asked for all the time is one. Answers are JSON, whose records repeat their names, and take a third of
 * the room when they are packed. Their end with the total is apart, so that another total packs nothing anew.
 */
import type { Latin1 } from '../value/latin1.ts'
import { ownCopy } from '../value/own-copy.ts'
import { pack as packBytes, packedLengthMax, unpack as unpackBytes } from './lz.ts'

/** What is sent: a text or a buffer. */
export type Plain = Latin1 | Buffer

/** `end` follows what is packed, which are so many bytes. */
type Packed = { readonly packed: string; readonly bytes: number; readonly end: string }

export type StoredBody = Plain | Packed

/** Smaller ones are kept as they are. */
const packedMin = 1_024

/** Two pieces of memory to work in, as large as the largest answer was. */
let [plainRoom, packedRoom] = [Buffer.alloc(0), Buffer.alloc(0)]

function makeRoom(bytes: number): void {
  if (plainRoom.length >= bytes) return
  const enough = 2 ** Math.ceil(Math.log2(bytes))
  plainRoom = Buffer.allocUnsafeSlow(enough)
  packedRoom = Buffer.allocUnsafeSlow(packedLengthMax(enough))
}

/** In one piece, and holding nothing else: of a text that was joined or cut, the others would be kept. */
const textIn = (room: Buffer, length: number): string => room.toString('latin1', 0, length)

export function storedBody(text: string): Latin1 {
  makeRoom(Buffer.byteLength(text))
  return { latin1: textIn(plainRoom, plainRoom.write(text)) }
}

export function isPacked(body: StoredBody): body is Packed {
  return 'packed' in body
}

export function isPackable(body: StoredBody): body is Plain {
  return !isPacked(body) && sizeOfBody(body) >= packedMin
}

function copyInto(room: Buffer, body: Plain): number {
  return Buffer.isBuffer(body) ? body.copy(room) : room.write(body.latin1, 'latin1')
}

/** `at`: where the end begins that is kept apart. */
export function pack(body: Plain, at: number = sizeOfBody(body)): StoredBody {
  makeRoom(sizeOfBody(body))
  const length = copyInto(plainRoom, body)
  const packed = textIn(packedRoom, packBytes(plainRoom, at, packedRoom))
  return { packed, bytes: at, end: plainRoom.toString('latin1', at, length) }
}

/** The body to send. */
export function bodyOf(body: StoredBody): Plain {
  if (!isPacked(body)) return body
  const { packed, bytes, end } = body
  makeRoom(bytes + end.length)
  const length = unpackBytes(packedRoom, packedRoom.write(packed, 'latin1'), plainRoom)
  return { latin1: textIn(plainRoom, length + plainRoom.write(end, length, 'latin1')) }
}

/** The same body with another end, of ASCII, from that place on. */
export function withEnd(body: StoredBody, at: number, end: string): StoredBody {
  if (isPacked(body)) return { ...body, end }
  makeRoom(at + end.length)
  copyInto(plainRoom, body)
  return { latin1: textIn(plainRoom, at + plainRoom.write(end, at, 'latin1')) }
}

export function asBuffer(body: Plain): Buffer {
  if (Buffer.isBuffer(body)) return body
  return ownCopy(Buffer.from(body.latin1, 'latin1'))
}

export function sizeOfBody(body: StoredBody): number {
  if (isPacked(body)) return body.packed.length + body.end.length
  return Buffer.isBuffer(body) ? body.length : body.latin1.length
}
