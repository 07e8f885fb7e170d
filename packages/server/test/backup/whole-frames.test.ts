/**
 * A Zstandard stream that is cut off at any byte is recognised as incomplete, in whatever pieces it
 * arrives.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib'
import { unpack } from '../../src/backup/pack.ts'
import { wholeFrames } from '../../src/backup/whole-frames.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function passed(bytes: Buffer, size = 7): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(wholeFrames(inPieces(bytes, size))))
}

async function streamed(...pieces: readonly Buffer[]): Promise<Buffer> {
  const packing = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  for (const piece of pieces) packing.write(piece)
  packing.end()
  return Buffer.concat(await Array.fromAsync(packing))
}

const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const random = randomBytes(400)
const repeated = Buffer.alloc(300_000, 'a')
const frames: readonly (readonly [string, Buffer])[] = [
  ['nothing', zstdCompressSync(Buffer.alloc(0), checked)],
  ['a few bytes without a checksum', zstdCompressSync(Buffer.from('abc'))],
  ['what cannot be compressed', zstdCompressSync(random, checked)],
  ['one byte many times, in several blocks', zstdCompressSync(repeated, checked)],
  ['sizes of two, four and eight bytes', zstdCompressSync(Buffer.concat([random, repeated]), checked)],
]

for (const [what, frame] of frames)
  test(`${what}: whole, and cut off anywhere`, async () => {
    for (const size of [1, 3, 7, 65_536]) assert.deepEqual(await passed(frame, size), frame)
    for (let length = 1; length < frame.length; length += 1)
      await assert.rejects(passed(frame.subarray(0, length), 64), /unexpected end of file/, `${length} bytes`)
  })

test('a stream of Node ends with an empty frame, which is looked at as well', async () => {
  const bytes = await streamed(random, repeated, random)
  const unpacking = async (changed: Buffer) =>
    Array.fromAsync(await unpack(inPieces(changed, 64) as AsyncIterable<Buffer>, []))
  assert.deepEqual(Buffer.concat(await unpacking(bytes)), Buffer.concat([random, repeated, random]))
  // Of the empty frame's 13 bytes the head may say something else of no content; the others may
  // not.
  const empty = 13
  for (let place = bytes.length - 20; place < bytes.length; place += 1) {
    const behind = bytes.length - place
    if (behind === 9 || behind === 8) continue
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] as number) ^ 0x10
    await assert.rejects(unpacking(changed), { name: 'StartError' }, `${behind} bytes before the end`)
  }
  for (let cut = 1; cut < 40; cut += 1)
    if (cut !== empty) await assert.rejects(unpacking(bytes.subarray(0, -cut)), { name: 'StartError' }, `${cut} less`)
})

test('frames one after another are whole between them, and nowhere else', async () => {
  const [, first] = frames[2] as readonly [string, Buffer]
  const both = Buffer.concat([first, first])
  assert.deepEqual(await passed(both), both)
  await assert.rejects(passed(both.subarray(0, -1)), /unexpected end of file/)
  await assert.rejects(passed(both.subarray(0, first.length + 1)), /unexpected end of file/)
})
