/**
 * The three forms of a cached body: a text whose characters are bytes, a buffer, or a slot in the
 * file. Texts lie in JavaScript's heap, which is compacted. Buffers come from the system's
 * allocator, which in the end holds several times their size. But a buffer is sent fastest, so the
 * most used bodies are buffers. Another ending of a page, with another total, is stored beside the
 * bytes, which stay as they are.
 */
import type { Latin1 } from '../value/latin1.ts'
import { ownCopy } from '../value/own-copy.ts'
import type { CacheFile, FileSlot } from './cache-file.ts'

/** In memory: a text whose characters are bytes, or a buffer. */
export type MemoryBody = string | Buffer
/** To be sent: from memory, or read from the file. */
export type SendableBody = Latin1 | Buffer

/** The slot of a body, and its length. */
export type FiledBody = { readonly place: FileSlot; readonly bytes: number }

/** Smaller bodies are not worth a page of the file. */
const largeMin = 1_024

/** Working memory, as large as the largest body so far, in whole pages. */
let room = Buffer.alloc(4_096)

function makeRoom(bytes: number): void {
  if (room.length < bytes) room = Buffer.alloc(2 ** Math.ceil(Math.log2(bytes)))
}

/**
 * A text of the body's bytes, in one flat piece. A text that was joined or cut would keep its parts
 * in memory.
 */
export function memoryBodyOf(text: string): MemoryBody {
  makeRoom(Buffer.byteLength(text))
  return room.toString('latin1', 0, room.write(text))
}

export function asText(body: Buffer): string {
  return body.toString('latin1')
}

/** The body in the form in which it is sent. */
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

/** Another ending of a body, in ASCII, and where it begins. */
export type BodyEnding = { readonly at: number; readonly end: string }

const isFiled = (stored: MemoryBody | FiledBody): stored is FiledBody => typeof stored === 'object' && 'place' in stored

type BodyCopy = { readonly to: Buffer; readonly bytes: number }

/** Copies the first bytes; false where they were overwritten. */
function copyFirst(file: CacheFile, stored: MemoryBody | FiledBody, { to, bytes }: BodyCopy): boolean {
  if (isFiled(stored)) return file.read(stored.place, bytes, to)
  copyTo(to, stored, bytes)
  return true
}

/** The joined body to send; undefined where it was overwritten. */
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
