/** Streamed lists: complete when small, and ended when the client does not read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeIfSmall } from '../../src/rest/lists/small-stream.ts'

function streamOf(pieces: number) {
  const seen = { made: 0, isEnded: false }
  async function* stream() {
    try {
      for (; seen.made < pieces; seen.made += 1) yield 'x'.repeat(30_000)
    } finally {
      seen.isEnded = true
    }
  }
  return { seen, response: { status: 200, headers: {}, body: stream() } }
}

test('a small one is whole, for HEAD too', async () => {
  for (const isHead of [false, true]) {
    const { seen, response } = streamOf(2)
    const { body } = await wholeIfSmall(response, { isHead })
    assert.deepEqual([body, seen.isEnded], ['x'.repeat(60_000), true])
  }
})

test('a long one goes on where it was read, and ends with its reader', async () => {
  const { seen, response } = streamOf(10)
  const { body } = await wholeIfSmall(response, { isHead: false })
  let length = 0
  for await (const piece of body as AsyncIterable<string>) {
    length += piece.length
    if (length > 150_000) break
  }
  assert.deepEqual([length, seen.isEnded, seen.made], [180_000, true, 5])
})

test('a long one that is answered to HEAD is ended, since nobody reads it', async () => {
  const { seen, response } = streamOf(10)
  const { body } = await wholeIfSmall(response, { isHead: true })
  assert.deepEqual([typeof body, seen.isEnded], ['object', true])
})
