/** A retained text holds only its own memory, not the larger buffer that it was cut from. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '../../src/http/messages/coding.ts'
import { asBuffer } from '../../src/response-cache/cached-body.ts'
import { ownCopy } from '../../src/value/own-copy.ts'

test('a copy is the same bytes, and its memory has no others', async () => {
  const plain = Buffer.from('Größe '.repeat(400))
  const kept = [ownCopy(plain), asBuffer({ latin1: plain.toString('latin1') })]
  for (const bytes of kept) assert.ok(bytes.equals(plain))
  for (const coding of ['gzip', 'br', 'zstd'] as const) kept.push(await encode(plain, coding, 'often'))
  for (const bytes of kept) assert.equal(bytes.buffer.byteLength, bytes.length)
})
