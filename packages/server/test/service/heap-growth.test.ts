/** The heap settings of a server: it collects garbage earlier than Node's default. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { growthPercentOf, keepHeapSmall } from '../../src/service/heap-growth.ts'
import { assertDiffers } from '../helpers/assert-differs.ts'
import { until } from '../helpers/until.ts'

const heapGrowth = new URL('../../src/service/heap-growth.ts', import.meta.url).href

/**
 * Keeps some objects, makes many that stay for a while, and prints how large the heap was at most.
 */
const program = (isSmall: boolean) => `
  if (${isSmall}) (await import(${JSON.stringify(heapGrowth)})).keepHeapSmall()
  const kept = Array.from({ length: 900_000 }, (_, i) => ({ i, text: 'kept ' + i }))
  const passing = new Array(10_000)
  let most = 0
  for (let i = 0; i < 3_000_000; i += 1) {
    passing[i % passing.length] = { i, text: 'passing ' + i }
    if (i % 10_000 > 0) continue
    await new Promise(setImmediate)
    if (i > 300_000) most = Math.max(most, process.memoryUsage().heapUsed)
  }
  console.log(most, kept.length)
`

test('the heap of a process that has much in use is looked over before it has grown by half', () =>
  assertDiffers({ program, flags: ['--max-semi-space-size=1'] }, (atMost, usual) => atMost * 1.3 < usual))

test('a small heap may grow faster on its way to what a process takes in the end', () => {
  for (const [used, percent] of [
    [5_000_000, 50],
    [60_000_000, 50],
    [65_000_000, 38],
    [80_000_000, 20],
    [900_000_000, 20],
  ] as const)
    assert.equal(growthPercentOf(used), percent)
})

test('how far it may grow follows from what each collection has left', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const percents: number[] = []
  const stop = keepHeapSmall((percent) => percents.push(percent))
  const kept = Array.from({ length: 900_000 }, (_, i) => ({ i, text: `kept ${i}` }))
  percents.length = 0
  collect()
  await until(
    () => percents.at(-1) === 20,
    () => `${percents}`,
  )
  stop()
  assert.equal(percents.at(-1), 20)
  assert.equal(kept.length, 900_000)
})
