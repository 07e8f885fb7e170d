/** The memory of kept answers: packed or not, an answer is the same bytes, and all of them take no more than they may. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeAnswerMemory, type Remembered } from '../../src/kept/answer-memory.ts'
import { bodyOf, bytesOf, pack, plainOf, sizeOfBody, withEnd } from '../../src/kept/stored-body.ts'

const page = (n: number) =>
  JSON.stringify({
    data: Array.from({ length: 20 }, (_, i) => ({ id: n * 20 + i, name: `Größe 😀 ${i}`, note: 'as all others' })),
  })
const entryOf = (text: string, endsAt?: number): Remembered => ({
  usedMs: performance.now(),
  isUsed: false,
  body: { plain: bytesOf(text) },
  endsAt,
  bytes: 100,
})

test('what was packed is what it was, with its end and with another one', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (head, end, other) => {
        const plain = { plain: bytesOf(head + end) }
        const small = { plain: plainOf(head + end) }
        const at = Buffer.byteLength(head)
        for (const body of [plain, small, pack(plain, at), pack(small, at), pack(pack(plain, at), at)]) {
          assert.equal(String(bodyOf(body)), head + end)
          assert.equal(String(bodyOf(withEnd(body, at, other))), head + other)
        }
        assert.equal(String(bodyOf(pack(plain, undefined))), head + end)
      },
    ),
  )
  assert.equal(plainOf('{"name":"Lamp"}'), '{"name":"Lamp"}')
  const large = { plain: bytesOf(page(1)) }
  assert.ok(sizeOfBody(pack(large, undefined)) < large.plain.length / 4)
})

test('four times as many pages have room as bytes say, and no more bytes than that are taken', () => {
  const bytesMax = 400_000
  const memory = makeAnswerMemory<Remembered>(bytesMax)
  const length = Buffer.byteLength(page(1))
  for (let n = 0; n < 1_000; n += 1) {
    memory.offer(`page ${n}`, entryOf(page(n)))
    assert.ok(memory.figures().bytes <= bytesMax)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => memory.get(`page ${n}`))
  assert.ok(kept.length * length > 2.5 * bytesMax, `${kept.length} of ${length} bytes`)
  for (const n of kept) {
    const entry = memory.get(`page ${n}`) as Remembered
    assert.equal(String(memory.give(`page ${n}`, entry)), page(n))
  }
  assert.ok(memory.figures().bytes <= bytesMax)
})

test('what is asked for again and again is sent from the same bytes', () => {
  const memory = makeAnswerMemory<Remembered>(400_000)
  memory.offer('hot', entryOf(page(0)))
  const give = () => memory.give('hot', memory.get('hot') as Remembered)
  for (let n = 1; n < 330; n += 1) memory.offer(`page ${n}`, entryOf(page(n)))
  assert.ok('packed' in (memory.get('hot') as Remembered).body, 'it was packed meanwhile')
  give() // once is not again
  const bytes = give()
  for (let n = 330; n < 530; n += 1) {
    memory.offer(`page ${n}`, entryOf(page(n)))
    assert.equal(give(), bytes)
  }
})

test('an answer with another total stays packed, and is there once', () => {
  const memory = makeAnswerMemory<Remembered>(400_000)
  const [head, at] = [page(0), Buffer.byteLength(page(0))]
  memory.offer('one', entryOf(`${head}12`, at))
  for (let n = 1; n < 330; n += 1) memory.offer(`page ${n}`, entryOf(page(n)))
  const { answers } = memory.figures()
  const entry = memory.get('one') as Remembered
  memory.putBack('one', { ...entry, body: withEnd(entry.body, at, '13') })
  assert.equal(memory.figures().answers, answers)
  const renewed = memory.get('one') as Remembered
  assert.ok('packed' in renewed.body)
  assert.equal(String(memory.give('one', renewed)), `${head}13`)
  memory.delete('one')
  assert.equal(memory.get('one'), undefined)
})
