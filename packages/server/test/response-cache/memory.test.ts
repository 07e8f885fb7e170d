/**
 * The memory of the response cache: a response has the same bytes in memory and in the file. All of
 * them stay within the limit.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { type CacheFile, makeCacheFile } from '../../src/response-cache/cache-file.ts'
import { type CacheMemory, type MemoryEntry, makeCacheMemory } from '../../src/response-cache/cache-memory.ts'
import {
  asBuffer,
  joinBody,
  memoryBodyOf,
  type SendableBody,
  sendableOf,
  writeToFile,
} from '../../src/response-cache/cached-body.ts'
import { makeDiskFolder } from './disk-folder.ts'

const folder = makeDiskFolder('bindery-answer-memory-')
const opened: CacheFile[] = []
after(() => {
  for (const file of opened) file.close()
  rmSync(folder, { recursive: true })
})
function openFile(bytesMax = 10_000_000): CacheFile {
  const file = makeCacheFile({ folder, bytesMax, report: assert.fail })
  opened.push(file)
  return file
}
/** The file of a cache where no file is possible. */
const noFile = openFile()
noFile.close()
/** It stands: what a slow machine takes between two uses must not count. */
const now = () => 10_000
const makeMemory = (bytesMax = 400_000, file = openFile()) => makeCacheMemory<MemoryEntry>(bytesMax, file, now)

const page = (n: number) =>
  JSON.stringify({
    data: Array.from({ length: 20 }, (_, i) => ({ id: n * 20 + i, name: `Größe 😀 ${i}`, note: 'as all others' })),
  })
type Memory = CacheMemory<MemoryEntry>
function keep(memory: Memory, key: string, text: string) {
  const about = { usedMs: now(), uses: 0, bytes: 100 }
  memory.keep(key, { ...about, body: memoryBodyOf(text), filed: undefined, at: undefined, end: undefined })
}
const keepPage = (memory: Memory, n: number) => keep(memory, `page ${n}`, page(n))
const given = (memory: Memory, key: string) => memory.give(key, memory.get(key) as MemoryEntry)
/** Often enough to be in memory. */
function giveOften(memory: Memory, key: string): void {
  for (let times = 0; times < 33; times += 1) given(memory, key)
}
/** Ages the entry, as if no caller had read it for a while. */
function letRest(memory: Memory, key: string): void {
  ;(memory.get(key) as MemoryEntry).usedMs -= 5_000
}
const isFiled = (memory: Memory, key: string) => (memory.get(key) as MemoryEntry).body === undefined

/** As it is renewed when only its total has changed. */
function renew(memory: Memory, key: string, { at, end }: { at: number; end: string }): void {
  const entry = memory.get(key) as MemoryEntry
  memory.take(key)
  memory.keep(key, { ...entry, at, end })
}

const textOf = (body: SendableBody | undefined) => asBuffer(body as SendableBody).toString()

test('what was put into the file is what it was, with its end and with another one', () => {
  const file = openFile()
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (head, end, other) => {
        const plain = memoryBodyOf(head + end)
        const at = Buffer.byteLength(head)
        for (const body of [plain, asBuffer(sendableOf(plain))]) {
          const filed = writeToFile(file, body)
          assert.ok(filed)
          assert.equal(textOf(joinBody(file, filed)), head + end)
          assert.equal(textOf(joinBody(file, filed, { at, end: other })), head + other)
          assert.equal(textOf(joinBody(file, body, { at, end: other })), head + other)
        }
      },
    ),
  )
})

test('writing and reading leave no buffers behind that would stay until a full collection of garbage', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
  const file = openFile()
  const body = memoryBodyOf(page(1))
  const before = process.memoryUsage().arrayBuffers
  for (let turn = 0; turn < 300; turn += 1) {
    for (let n = 0; n < 16; n += 1)
      joinBody(file, writeToFile(file, body) as NonNullable<ReturnType<typeof writeToFile>>)
    await nextTurn()
  }
  for (let turn = 0; turn < 3; turn += 1) {
    collect({ type: 'minor' }) // what outlives two of them is old
    await nextTurn()
  }
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 1_000_000, `${grown} bytes`)
})

test('five times as many pages have room as bytes say, and no more bytes than that are taken', () => {
  const bytesMax = 100_000
  const memory = makeMemory(bytesMax)
  const length = Buffer.byteLength(page(1))
  for (let n = 0; n < 1_000; n += 1) {
    keepPage(memory, n)
    assert.ok(memory.figures().bytes <= bytesMax)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => memory.get(`page ${n}`))
  assert.ok(kept.length * length > 5 * bytesMax, `${kept.length} of ${length} bytes`)
  for (const n of kept) assert.equal(textOf(given(memory, `page ${n}`)), page(n))
  assert.ok(memory.figures().bytes <= bytesMax)
  assert.ok(memory.figures().fileBytes >= kept.length * length - bytesMax)
})

test('without a file the pages that are there are right, and take no more bytes than they may', () => {
  const bytesMax = 100_000
  const memory = makeMemory(bytesMax, noFile)
  for (let n = 0; n < 200; n += 1) {
    keepPage(memory, n)
    assert.ok(memory.figures().bytes <= bytesMax)
  }
  const kept = Array.from({ length: 200 }, (_, n) => n).filter((n) => memory.get(`page ${n}`))
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, n) => 200 - kept.length + n),
  )
  assert.ok(kept.length * Buffer.byteLength(page(1)) > bytesMax * 0.8)
  for (const n of kept) assert.equal(textOf(given(memory, `page ${n}`)), page(n))
})

test('what is larger than the memory is in the file, or nowhere', () => {
  for (const file of [openFile(), noFile]) {
    const memory = makeMemory(10_000, file)
    keep(memory, 'large', 'x'.repeat(50_000))
    for (let n = 0; n < 3; n += 1) keepPage(memory, n)
    assert.equal(memory.get('large')?.body, undefined)
    if (file === noFile) assert.equal(memory.get('large'), undefined)
    else assert.equal(textOf(given(memory, 'large')), 'x'.repeat(50_000))
    if (file !== noFile) giveOften(memory, 'large')
    assert.equal(memory.get('large')?.body, undefined)
  }
})

test('what the file has no more is not given', () => {
  const memory = makeMemory(400_000, openFile(50 * 4_096))
  for (let n = 0; n < 1_000; n += 1) keepPage(memory, n)
  let there = 0
  for (let n = 0; n < 1_000; n += 1) {
    const entry = memory.get(`page ${n}`)
    const body = entry && memory.give(`page ${n}`, entry)
    if (!body) continue
    assert.equal(textOf(body), page(n))
    there += 1
  }
  assert.ok(there >= 50, `${there}`)
})

test('what is asked for again and again is sent from the same buffer, and goes back into the file without being written again', () => {
  const file = openFile()
  const memory = makeMemory(400_000, file)
  keep(memory, 'hot', page(0))
  for (let n = 1; n < 330; n += 1) keepPage(memory, n)
  assert.ok(isFiled(memory, 'hot'))
  const place = memory.get('hot')?.filed
  given(memory, 'hot') // once is not often
  assert.ok(isFiled(memory, 'hot'))
  giveOften(memory, 'hot')
  const bytes = given(memory, 'hot')
  assert.ok(Buffer.isBuffer(bytes))
  for (let n = 330; n < 1_330; n += 1) {
    keepPage(memory, n)
    assert.equal(given(memory, 'hot'), bytes)
  }
  letRest(memory, 'hot')
  for (let n = 1; n < 330; n += 1) letRest(memory, `page ${n}`)
  for (let n = 1_130; n < 1_330; n += 1) giveOften(memory, `page ${n}`)
  assert.ok(isFiled(memory, 'hot'), 'others are asked for more often')
  assert.equal(memory.get('hot')?.filed, place)
  assert.equal(textOf(given(memory, 'hot')), page(0))
})

test('of answers that are given equally often none takes the place of another', () => {
  const memory = makeMemory()
  const keys = Array.from({ length: 1_000 }, (_, n) => `page ${n}`)
  for (const n of keys.keys()) keepPage(memory, n)
  const round = () => {
    for (const key of keys) giveOften(memory, key)
    return keys.filter((key) => !isFiled(memory, key))
  }
  const first = round()
  assert.ok(first.length > 20, `${first.length}`)
  assert.deepEqual(round(), first)
  assert.deepEqual(round(), first)
})

test('nor does one when some seconds have passed, and all are given again', () => {
  const memory = makeMemory()
  const keys = Array.from({ length: 1_000 }, (_, n) => `page ${n}`)
  for (const n of keys.keys()) keepPage(memory, n)
  for (const key of keys) giveOften(memory, key)
  const inMemory = () => keys.filter((key) => !isFiled(memory, key))
  const first = inMemory()
  assert.ok(first.length > 20, `${first.length}`)
  for (let round = 0; round < 2; round += 1) {
    for (const key of keys) letRest(memory, key)
    for (let times = 0; times < 40; times += 1) for (const key of keys) given(memory, key)
    assert.deepEqual(inMemory(), first)
  }
})

test('an answer with another total stays where it is, and is there once', () => {
  const memory = makeMemory()
  const [head, at] = [page(0), Buffer.byteLength(page(0))]
  keep(memory, 'one', `${head}12`)
  for (let n = 1; n < 330; n += 1) keepPage(memory, n)
  const { answers, fileBytes } = memory.figures()
  renew(memory, 'one', { at, end: '13' })
  assert.equal(memory.figures().answers, answers)
  assert.equal(memory.figures().fileBytes, fileBytes)
  assert.ok(isFiled(memory, 'one'))
  assert.equal(textOf(given(memory, 'one')), `${head}13`)
  giveOften(memory, 'one')
  assert.ok(!isFiled(memory, 'one'))
  renew(memory, 'one', { at, end: '14' })
  for (const key of ['one', ...Array.from({ length: 329 }, (_, n) => `page ${n + 1}`)]) letRest(memory, key)
  for (let n = 1; n < 330; n += 1) giveOften(memory, `page ${n}`)
  assert.ok(isFiled(memory, 'one'))
  assert.equal(textOf(given(memory, 'one')), `${head}14`)
  memory.delete('one')
  assert.equal(memory.get('one'), undefined)
})

test('answers that come and go leave the file as small as what is in it', () => {
  const memory = makeMemory(50_000)
  const fileBytes: number[] = []
  for (let round = 0; round < 20; round += 1) {
    for (let n = 0; n < 60; n += 1) keepPage(memory, n) // in place of the one before
    for (let n = 0; n < 60; n += 3) memory.delete(`page ${n}`)
    fileBytes.push(memory.figures().fileBytes)
  }
  assert.ok((fileBytes[0] as number) > 0)
  assert.equal(fileBytes.at(-1), fileBytes[1])
  for (let n = 1; n < 60; n += 3) assert.equal(textOf(given(memory, `page ${n}`)), page(n))
})

test('what is driven out of a full memory leaves its place in the file', () => {
  const memory = makeMemory(30_000)
  for (let n = 0; n < 2_000; n += 1) keepPage(memory, n)
  const { answers, fileBytes } = memory.figures()
  assert.ok(answers < 300, `${answers}`)
  assert.ok(fileBytes < answers * 1.1 * 4_096, `${fileBytes} bytes for ${answers} answers`)
})

const act = fc.record({
  kind: fc.constantFrom('keep', 'keep', 'keep', 'give', 'give', 'renew', 'delete'),
  key: fc.integer({ min: 0, max: 40 }).map((n) => `key ${n}`),
  length: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 900, max: 9_000 }), fc.constant(30_000)),
})

test('whatever comes and goes, an answer is what was kept last, and what was sent before stays as it was', () => {
  const files = [openFile(), openFile(20 * 4_096), noFile]
  fc.assert(
    fc.property(
      fc.array(act, { minLength: 200, maxLength: 600 }),
      fc.constantFrom(100_000, 1_500_000),
      fc.constantFrom(...files),
      (acts, bytesMax, file) => {
        const memory = makeMemory(bytesMax, file)
        const texts = new Map<string, string>()
        const sent: [SendableBody, string][] = []
        for (const [i, { kind, key, length }] of acts.entries()) {
          const entry = memory.get(key)
          const text = texts.get(key) as string
          if (kind === 'keep') {
            const kept = `${i} ${'ü'.repeat(length / 2)}end`
            texts.set(key, kept)
            keep(memory, key, kept)
          } else if (kind === 'delete' || !entry || !memory.bodyOf(entry)) memory.delete(key)
          else if (kind === 'give') {
            const body = memory.give(key, entry) as SendableBody
            assert.equal(textOf(body), text)
            sent.push([body, text])
          } else {
            renew(memory, key, { at: Buffer.byteLength(text) - 3, end: 'new' })
            texts.set(key, `${text.slice(0, -3)}new`)
          }
          assert.ok(memory.figures().bytes <= bytesMax)
        }
        for (const [body, text] of sent) assert.equal(textOf(body), text)
      },
    ),
    { numRuns: 60 },
  )
})
