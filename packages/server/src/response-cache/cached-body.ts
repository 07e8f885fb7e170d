/**
 * How the bytes of an answer are kept: as a text whose characters are bytes, as a buffer, or in a
 * file. Texts lie among JavaScript's own objects, which are moved together when others go; memory
 * for each buffer comes from the system's allocator, which keeps several times as much in the end.
 * But a buffer is sent fastest, so what is asked for all the time is one. Another end of an answer,
 * with another total, stands beside the bytes, so that it writes nothing anew.
 */
import type { Latin1 } from '../value/latin1.ts'
import { ownCopy } from '../value/own-copy.ts'
import type { CacheFile, FileSlot } from './cache-file.ts'

/** In memory: a text whose characters are bytes, or a buffer. */
export type MemoryBody = string | Buffer
/** To be sent: from memory, or read from the file. */
export type SendableBody = Latin1 | Buffer

/** So many bytes in the file. */
export type FiledBody = { readonly place: FileSlot; readonly bytes: number }

/** Smaller ones are not worth a page of the file. */
const largeMin = 1_024

/** A piece of memory to work in, as large as the largest answer was, in whole pages. */
let room = Buffer.alloc(4_096)

function makeRoom(bytes: number): void {
  if (room.length < bytes) room = Buffer.alloc(2 ** Math.ceil(Math.log2(bytes)))
}

/**
 * A text as the text of its bytes, in one piece and holding nothing else: of a text that was joined
 * or cut, the others would be kept.
 */
export function memoryBodyOf(text: string): MemoryBody {
  makeRoom(Buffer.byteLength(text))
  return room.toString('latin1', 0, room.write(text))
}

export function asText(body: Buffer): string {
  return body.toString('latin1')
}

/** As it is given. */
export function sendableOf(body: MemoryBody): SendableBody {
  return typeof body === 'string' ? { latin1: body } : body
}

function copyTo(to: Buffer, body: MemoryBody, bytes: number): void {
  if (typeof body === 'string') to.write(body, 0, bytes, 'latin1')
  else body.copy(to, 0, 0, bytes)
}

export function isLarge({ length }: MemoryBody): boolean {
  return length >= largeMin
}

/** Undefined where there is no file. */
export function writeToFile(file: CacheFile, body: MemoryBody): FiledBody | undefined {
  const bytes = body.length
  makeRoom(bytes)
  copyTo(room, body, bytes)
  const place = file.put(room, bytes)
  return place && { place, bytes }
}

/** Another end of a body, of ASCII, and where it begins. */
export type BodyEnding = { readonly at: number; readonly end: string }

const isFiled = (stored: MemoryBody | FiledBody): stored is FiledBody => typeof stored === 'object' && 'place' in stored

type BodyCopy = { readonly to: Buffer; readonly bytes: number }

/** Copies the first bytes; false where they are gone. */
function copyFirst(file: CacheFile, stored: MemoryBody | FiledBody, { to, bytes }: BodyCopy): boolean {
  if (isFiled(stored)) return file.read(stored.place, bytes, to)
  copyTo(to, stored, bytes)
  return true
}

/** The body to send, put together; undefined where it is gone. */
export function joinBody(file: CacheFile, stored: MemoryBody | FiledBody, ending?: BodyEnding): Buffer | undefined {
  const whole = isFiled(stored) ? stored.bytes : stored.length
  const own = ending ? ending.at : whole
  const body = Buffer.allocUnsafe(ending ? own + ending.end.length : own)
  if (!copyFirst(file, stored, { to: body, bytes: own })) return undefined
  if (ending) body.write(ending.end, own, 'latin1')
  return body
}

/** A buffer of its own. */
export function asBuffer(body: SendableBody): Buffer {
  if (Buffer.isBuffer(body)) return ownCopy(body)
  const own = Buffer.allocUnsafeSlow(body.latin1.length)
  own.write(body.latin1, 'latin1')
  return own
}
