/** Less garbage gathers in the heap of a server than Node would let gather. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberPrintedBy } from '../helpers/number-printed.ts'

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

const heapAtMost = (isSmall: boolean) => numberPrintedBy(program(isSmall), ['--max-semi-space-size=1'])

test('the heap is looked over before it has grown by half', async () => {
  // When Node collects is also a matter of when its threads get a processor, so one pair of three has to show it.
  const pairs: string[] = []
  for (let i = 0; i < 3; i += 1) {
    const [small, usual] = [await heapAtMost(true), await heapAtMost(false)]
    if (small * 1.3 < usual) return
    pairs.push(`${small} bytes, and ${usual} as Node has it`)
  }
  assert.fail(pairs.join('; '))
})
