/**
 * Writes and reads archives of `tar` (POSIX.1-1988, ustar), as far as backups need them: plain
 * files, one after another.
 */

import { printBytes } from '../base/print-bytes.ts'
import { StartError } from '../errors.ts'

const blockBytes = 512
/** The largest size in eleven octal digits; larger ones use GNU's binary form. */
const octalMax = 0o77777777777

export type TarEntry = { readonly name: string; readonly bytes: number; readonly body: AsyncIterable<Buffer> }

function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= octalMax) {
    header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
    return
  }
  header[124] = 0x80
  header.writeBigUInt64BE(BigInt(bytes), 128)
}

function readSize(header: Buffer): number {
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128))
  return Number.parseInt(header.toString('latin1', 124, 135), 8)
}

/** The sum of all bytes, with blanks in place of the sum itself. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0)
}

function headerOf({ name, bytes }: TarEntry, atMs: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 100, 'utf8')
  header.write('0000600\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  writeSize(header, bytes)
  header.write(`${Math.floor(atMs / 1000).toString(8)}\0`, 136, 'latin1')
  header.write('0', 156, 'latin1')
  header.write('ustar\u000000', 257, 'latin1')
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

function paddingOf(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)
}

/** Throws when the length of a body differs from its entry. */
export async function* writeTar(entries: readonly TarEntry[], atMs: number): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    yield headerOf(entry, atMs)
    let written = 0
    for await (const chunk of entry.body) {
      written += chunk.length
      yield chunk
    }
    if (written !== entry.bytes) throw new Error(`${entry.name} has ${written} bytes, and not ${entry.bytes}`)
    yield paddingOf(entry.bytes)
  }
  yield Buffer.alloc(2 * blockBytes)
}

const cutOff = () => new StartError('The backup is cut off: it ends in the middle')

/** Takes bytes of a stream, a given number at a time. */
function makeTaker(chunks: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  async function* pieces(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes
    while (left > 0) {
      if (held.length === 0) {
        const next = await chunks.next()
        if (next.done) throw cutOff()
        held = next.value
      }
      const piece = held.subarray(0, left)
      held = held.subarray(piece.length)
      left -= piece.length
      if (piece.length > 0) yield piece
    }
  }
  return {
    pieces,
    take: async (bytes: number) => Buffer.concat(await Array.fromAsync(pieces(bytes))),
    /** Reads on, so that checksums at the end of the stream are verified. */
    async finish() {
      while (!(await chunks.next()).done);
    },
  }
}

/**
 * Yields each file; read its body before the next one. Throws `StartError` for bytes that are not
 * such an archive.
 */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const taker = makeTaker(chunks[Symbol.asyncIterator]())
  for (;;) {
    const header = await taker.take(blockBytes)
    if (header.every((byte) => byte === 0)) return taker.finish()
    const said = Number.parseInt(header.toString('latin1', 148, 154), 8)
    if (said !== sumOf(header)) throw new StartError('This is no backup of Bindery, or it is damaged')
    const bytes = readSize(header)
    const end = header.indexOf(0)
    yield { name: header.toString('utf8', 0, Math.min(end, 100)), bytes, body: taker.pieces(bytes) }
    await taker.take(paddingOf(bytes).length)
  }
}

/**
 * A small file of an archive as text. Throws `StartError` for one that is larger than backups have.
 */
export async function textOf({ name, bytes, body }: TarEntry, bytesMax: number): Promise<string> {
  if (bytes > bytesMax) throw new StartError(`This is no backup of Bindery: its ${name} has ${printBytes(bytes)}`)
  return Buffer.concat(await Array.fromAsync(body)).toString()
}
