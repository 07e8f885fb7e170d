/** Less garbage gathers in the heap of a server than Node would let gather. */
import { test } from 'node:test'
import { assertDiffers } from '../helpers/assert-differs.ts'

const heapGrowth = new URL('../../src/service/heap-growth.ts', import.meta.url).href

/** Keeps some objects, makes many that stay for a while, and prints how large the heap was at most. */
const program = (isSmall: boolean) => `
  if (${isSmall}) (await import(${JSON.stringify(heapGrowth)})).keepHeapSmall()
  const kept = Array.from({ length: 150_000 }, (_, i) => ({ i, text: 'kept ' + i }))
  const passing = new Array(10_000)
  let most = 0
  for (let i = 0; i < 2_000_000; i += 1) {
    passing[i % passing.length] = { i, text: 'passing ' + i }
    if (i % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
  }
  console.log(most, kept.length)
`

test('the heap is looked over before it has grown by half', () =>
  assertDiffers({ program, flags: ['--max-semi-space-size=1'] }, (atMost, usual) => atMost * 1.3 < usual))
