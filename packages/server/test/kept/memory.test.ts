/** The memory of kept answers: packed or not, an answer is the same bytes, and all of them take no more than they may. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { type AnswerMemory, makeAnswerMemory, type Remembered } from '../../src/kept/answer-memory.ts'
import {
  asBuffer,
  bodyOf,
  isPackable,
  isPacked,
  type Plain,
  pack,
  sizeOfBody,
  storedBody,
  withEnd,
} from '../../src/kept/stored-body.ts'

const page = (n: number) =>
  JSON.stringify({
    data: Array.from({ length: 20 }, (_, i) => ({ id: n * 20 + i, name: `Größe 😀 ${i}`, note: 'as all others' })),
  })
function keep(memory: AnswerMemory<Remembered>, key: string, { text, endsAt }: { text: string; endsAt?: number }) {
  const about = { usedMs: performance.now(), isUsed: false, endsAt, bytes: 100 }
  memory.keep(key, { ...about, body: storedBody(text) })
}
const keepPage = (memory: AnswerMemory<Remembered>, n: number) => keep(memory, `page ${n}`, { text: page(n) })
const given = (memory: AnswerMemory<Remembered>, key: string) => memory.give(key, memory.get(key) as Remembered)

const textOf = (body: Plain) => asBuffer(body).toString()

test('what was packed is what it was, with its end and with another one', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (beginning, end, other) => {
        const head = beginning.padEnd(1_024, 'what is packed is large')
        const plain = storedBody(head + end)
        const at = Buffer.byteLength(head)
        for (const body of [plain, asBuffer(plain), pack(plain, at), pack(asBuffer(plain), at)]) {
          assert.equal(textOf(bodyOf(body)), head + end)
          assert.equal(textOf(bodyOf(withEnd(body, at, other))), head + other)
        }
        assert.equal(textOf(bodyOf(pack(plain))), head + end)
      },
    ),
  )
  const large = storedBody(page(1))
  assert.ok(isPackable(large))
  assert.equal(isPackable(storedBody('{"name":"Lamp"}')), false)
  assert.ok(sizeOfBody(pack(large)) < sizeOfBody(large) / 4)
})

test('packing and unpacking leave no buffers behind, which would stay until a full collection of garbage', async () => {
  const packed = pack(storedBody(page(1)))
  const before = process.memoryUsage().arrayBuffers
  for (let turn = 0; turn < 300; turn += 1) {
    for (let k = 0; k < 16; k += 1) pack(bodyOf(packed) as Plain)
    await nextTurn()
  }
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 1_000_000, `${grown} bytes`)
})

test('four times as many pages have room as bytes say, and no more bytes than that are taken', () => {
  const bytesMax = 400_000
  const memory = makeAnswerMemory<Remembered>(bytesMax)
  const length = Buffer.byteLength(page(1))
  for (let n = 0; n < 1_000; n += 1) {
    keepPage(memory, n)
    assert.ok(memory.figures().bytes <= bytesMax)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => memory.get(`page ${n}`))
  assert.ok(kept.length * length > 2.5 * bytesMax, `${kept.length} of ${length} bytes`)
  for (const n of kept) assert.equal(textOf(given(memory, `page ${n}`)), page(n))
  assert.ok(memory.figures().bytes <= bytesMax)
})

test('what is asked for again and again is sent from the same buffer', () => {
  const memory = makeAnswerMemory<Remembered>(400_000)
  keep(memory, 'hot', { text: page(0) })
  for (let n = 1; n < 330; n += 1) keepPage(memory, n)
  assert.ok(isPacked((memory.get('hot') as Remembered).body), 'it was packed meanwhile')
  given(memory, 'hot') // once is not again
  const bytes = given(memory, 'hot')
  assert.ok(Buffer.isBuffer(bytes))
  for (let n = 330; n < 530; n += 1) {
    keepPage(memory, n)
    assert.equal(given(memory, 'hot'), bytes)
  }
})

test('an answer with another total stays packed, and is there once', () => {
  const memory = makeAnswerMemory<Remembered>(400_000)
  const [head, at] = [page(0), Buffer.byteLength(page(0))]
  keep(memory, 'one', { text: `${head}12`, endsAt: at })
  for (let n = 1; n < 330; n += 1) keepPage(memory, n)
  const { answers } = memory.figures()
  const entry = memory.get('one') as Remembered
  memory.delete('one')
  memory.keep('one', { ...entry, body: withEnd(entry.body, at, '13') })
  assert.equal(memory.figures().answers, answers)
  assert.ok(isPacked((memory.get('one') as Remembered).body))
  assert.equal(textOf(given(memory, 'one')), `${head}13`)
  memory.delete('one')
  assert.equal(memory.get('one'), undefined)
})

const act = fc.record({
  kind: fc.constantFrom('keep', 'keep', 'keep', 'give', 'renew', 'delete'),
  key: fc.integer({ min: 0, max: 40 }).map((n) => `key ${n}`),
  length: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 900, max: 9_000 }), fc.constant(30_000)),
})

test('whatever comes and goes, an answer is what was kept last, and what was sent before stays as it was', () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 200, maxLength: 600 }), (acts) => {
      const bytesMax = 1_500_000
      const memory = makeAnswerMemory<Remembered>(bytesMax)
      const texts = new Map<string, string>()
      const sent: [Plain, string][] = []
      for (const [i, { kind, key, length }] of acts.entries()) {
        const entry = memory.get(key)
        const text = texts.get(key) as string
        if (kind === 'keep') {
          texts.set(key, `${i} ${'ü'.repeat(length / 2)}end`)
          keep(memory, key, { text: texts.get(key) as string, endsAt: Buffer.byteLength(texts.get(key) as string) - 3 })
        } else if (kind === 'delete' || !entry) memory.delete(key)
        else if (kind === 'give') {
          const bytes = memory.give(key, entry)
          assert.equal(textOf(bytes), text)
          sent.push([bytes, text])
        } else {
          memory.delete(key)
          const at = entry.endsAt as number
          memory.keep(key, { ...entry, body: withEnd(entry.body, at, 'new') })
          texts.set(key, `${text.slice(0, -3)}new`)
        }
        assert.ok(memory.figures().bytes <= bytesMax)
      }
      for (const [bytes, text] of sent) assert.equal(textOf(bytes), text)
    }),
    { numRuns: 30 },
  )
})
