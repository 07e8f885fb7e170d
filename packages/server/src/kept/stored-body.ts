/**
 * How the bytes of an answer are kept: as they are sent, or packed. Answers are JSON, whose records repeat their names, and take a quarter of
 * the room when they are packed. Their end with the total is apart, so that another total packs nothing anew.
 *
 * A small answer of ASCII alone is a text, whose characters are its bytes: a buffer takes 350 bytes of memory besides those that it holds.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'

export type Plain = string | Buffer

export type StoredBody =
  | { readonly plain: Plain }
  | { readonly packed: Buffer; readonly headBytes: number; readonly end: string }

/** Smaller ones are kept as they are. */
const packedMin = 1_024
/** A higher level and a larger window save little of a page, and take longer. */
const packing = { level: 1, windowBits: 13 } as const
const minimalChunk = 64 // the least that zlib takes

/** In memory of its own: a slice of a shared pool would hold all of it. */
function ownBytes(length: number, fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length)
  fill(bytes)
  return bytes
}

export function bytesOf(text: string): Buffer {
  return ownBytes(Buffer.byteLength(text), (bytes) => bytes.write(text))
}

/** What is kept of a text: its bytes, or itself where that is less. */
export function plainOf(text: string): Plain {
  const bytes = bytesOf(text)
  // Of a text that was joined of pieces, all pieces would be kept.
  return bytes.length === text.length && text.length < packedMin ? bytes.toString('latin1') : bytes
}

/** `at`: where the end begins that is kept apart. A body that is packed already, or too small for it, stays as it is. */
export function pack(body: StoredBody, at: number | undefined): StoredBody {
  if (!('plain' in body) || typeof body.plain === 'string' || body.plain.length < packedMin) return body
  const head = body.plain.subarray(0, at)
  const small = deflateRawSync(head, packing)
  const packed = ownBytes(small.length, (bytes) => small.copy(bytes))
  return { packed, headBytes: head.length, end: body.plain.toString('utf8', head.length) }
}

/** The body to send. */
export function bodyOf(body: StoredBody): Plain {
  if ('plain' in body) return body.plain
  const { headBytes, end } = body
  const bytes = headBytes + Buffer.byteLength(end)
  // Room for all of it and one byte more, so that it comes in one piece, in which the end has its place.
  const chunkSize = Math.max(minimalChunk, bytes + 1)
  const head = inflateRawSync(body.packed, { windowBits: packing.windowBits, chunkSize })
  const whole = Buffer.from(head.buffer, head.byteOffset, bytes)
  whole.write(end, headBytes)
  return whole
}

/** The same body with another end from that place on. */
export function withEnd(body: StoredBody, at: number, end: string): StoredBody {
  if (!('plain' in body)) return { ...body, end }
  const { plain } = body
  if (typeof plain === 'string') return { plain: plainOf(plain.slice(0, at) + end) }
  const fill = (bytes: Buffer) => {
    plain.copy(bytes, 0, 0, at)
    bytes.write(end, at)
  }
  return { plain: ownBytes(at + Buffer.byteLength(end), fill) }
}

export function sizeOfBody(body: StoredBody): number {
  return 'plain' in body ? body.plain.length : body.packed.length + body.end.length
}
