/**
 * The cache of compressed bodies: entries use the memory that is counted for them, and hold no
 * reference to their source.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { makeCompress } from '../../src/http/messages/compress.ts'
import { limits } from '../../src/limits.ts'
import { shortOr } from '../helpers/long.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Objects of the runtime are let go one after another. */
async function collect(): Promise<void> {
  for (let times = 0; times < 5; times += 1) {
    gc()
    await pause(5)
  }
}

const asking = (coding: string) => ({ method: 'GET', headers: { 'accept-encoding': coding } })
const page = (n: number) =>
  Buffer.from(JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ id: n * 60 + i, name: `Lamp ${i * n}` }))))

async function compressOnce(compress: ReturnType<typeof makeCompress>): Promise<WeakRef<Buffer>> {
  const body = page(0)
  const ask = () => compress(asking('gzip'), { status: 200, headers: { 'content-type': 'application/json' }, body })
  const first = await ask()
  assert.equal(first.headers['content-encoding'], 'gzip')
  assert.equal((await ask()).body, first.body, 'the second time it is found')
  return new WeakRef(body)
}

test('what was compressed is released', async () => {
  const compress = makeCompress(limits)
  const bytes = await compressOnce(compress)
  await collect()
  assert.equal(bytes.deref(), undefined)
  assert.equal(typeof compress, 'function')
})

for (const coding of ['gzip', 'br', 'zstd'])
  test(`forms by ${coding} take what they are counted for`, async () => {
    const compressedBytesMax = shortOr(300_000, 1_000_000)
    const compress = makeCompress({ ...limits, compressedBytesMax })
    const sources = Array.from({ length: shortOr(900, 3_000) }, () => ({}))
    await collect()
    const before = process.memoryUsage().arrayBuffers
    for (const [n, source] of sources.entries())
      await compress(asking(coding), {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: page(n),
        source,
      })
    await collect()
    const grown = process.memoryUsage().arrayBuffers - before
    assert.ok(grown > compressedBytesMax / 2 && grown < compressedBytesMax * 1.5, `${grown} bytes`)
    assert.ok(sources.length > 0)
    assert.equal(typeof compress, 'function')
  })
