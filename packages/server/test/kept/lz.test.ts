/** Packing: what comes back is what went in, whatever it is, and no block is longer than was said. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pack, packedLengthMax, unpack } from '../../src/kept/lz.ts'

function packed(bytes: Uint8Array): Uint8Array {
  const room = new Uint8Array(packedLengthMax(bytes.length))
  const length = pack(bytes, bytes.length, room)
  assert.ok(length <= room.length)
  return room.slice(0, length)
}

function backAndForth(bytes: Uint8Array): void {
  const block = packed(bytes)
  const room = new Uint8Array(bytes.length)
  assert.equal(unpack(block, block.length, room), bytes.length)
  assert.deepEqual(room, bytes)
}

test('bytes of every kind come back: random ones, runs, and pieces that return from near and far', () => {
  const random = fc.uint8Array({ maxLength: 400 })
  const run = fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 600 })).map(([byte, n]) => new Uint8Array(n).fill(byte))
  const pieces = fc.array(fc.oneof(random, run), { maxLength: 12 })
  const returning = fc
    .tuple(pieces, fc.array(fc.nat(11), { maxLength: 40 }))
    .map(([all, order]) =>
      Buffer.concat([...all, ...order.map((i) => all[i % Math.max(1, all.length)] ?? new Uint8Array())]),
    )
  fc.assert(
    fc.property(returning, (bytes) => backAndForth(new Uint8Array(bytes))),
    { numRuns: 500 },
  )
})

test('every length around the borders of the format comes back', () => {
  for (let length = 0; length <= 64; length += 1) backAndForth(new Uint8Array(length).fill(7))
  for (const length of [269, 270, 271, 524, 525, 526, 65_535, 65_536, 65_600, 262_144])
    for (const fill of [0, 1, 250])
      backAndForth(Uint8Array.from({ length }, (_, i) => (fill === 0 ? 9 : i % (fill + 1))))
})

test('what returns from more than 64 KB before is not named by a distance that has no room', () => {
  const piece = Buffer.from('a piece of text that comes twice, with nothing of its kind between')
  const between = Uint8Array.from({ length: 70_000 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 24)
  backAndForth(new Uint8Array(Buffer.concat([piece, between, piece, piece])))
})

test('a block is one of the format of LZ4', () => {
  // From its specification: 1 literal, a match of 4 + 15 + 1 at distance 1, and 5 literals at the end.
  assert.deepEqual([...packed(new Uint8Array(26).fill(97))].slice(0, 4), [0x1f, 97, 1, 0])
})
