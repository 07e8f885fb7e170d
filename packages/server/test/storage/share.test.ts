/** `makeShareInFlight`: callers that ask for the same read while it runs share the next one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeShareInFlight } from '../../src/storage/postgres/read/share-in-flight.ts'

test('callers that come while a read is under way all share the next one', async () => {
  const share = makeShareInFlight()
  const begun: (() => void)[] = []
  let reads = 0
  const ask = () =>
    share('key', async () => {
      reads += 1
      const mine = reads
      await new Promise<void>((resolve) => begun.push(resolve))
      return mine
    })
  const first = ask()
  const others = [ask(), ask(), ask()]
  const stranger = share('other', async () => 'at once')
  assert.equal(await stranger, 'at once')
  assert.equal(reads, 1)
  begun.shift()?.()
  assert.equal(await first, 1)
  await new Promise((resolve) => setImmediate(resolve))
  begun.shift()?.()
  assert.deepEqual(await Promise.all(others), [2, 2, 2])
  const later = ask()
  begun.shift()?.()
  assert.equal(await later, 3)
})

test('a read that fails fails those who shared it, and no one after', async () => {
  const share = makeShareInFlight()
  let reads = 0
  const ask = () =>
    share('key', async () => {
      reads += 1
      if (reads < 3) throw new Error(`read ${reads}`)
      return reads
    })
  const all = await Promise.allSettled([ask(), ask(), ask()])
  assert.deepEqual(
    all.map((one) => (one.status === 'rejected' ? one.reason.message : one.value)),
    ['read 1', 'read 2', 'read 2'],
  )
  assert.equal(await ask(), 3)
})
