/** `process.nextTick` stays fast through collections of the heap that meet none of its objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberPrintedBy } from '../helpers/number-printed.ts'

const tickShape = new URL('../../src/service/tick-shape.ts', import.meta.url).href

/** Prints how many times as long a tick takes after such collections; the fastest of several rounds each. */
const program = (isKept: boolean) => `
  if (${isKept}) (await import(${JSON.stringify(tickShape)})).keepTickShape()
  const ticks = 200_000
  const round = () => new Promise((resolve) => {
    const beganMs = performance.now()
    let left = ticks
    const tick = () => (left-- > 0 ? process.nextTick(tick, left) : resolve(performance.now() - beganMs))
    tick()
  })
  const fastest = async () => {
    const times = []
    for (let i = 0; i < 6; i += 1) times.push(await round())
    return Math.min(...times)
  }
  const before = await fastest()
  for (let i = 0; i < 8; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    gc()
  }
  console.log((await fastest()) / before)
`

const timesAsLong = (isKept: boolean) => numberPrintedBy(program(isKept), ['--expose-gc'])

test('a tick takes no longer after the heap was looked over while there was none', async () => {
  const [kept, notKept] = [await timesAsLong(true), await timesAsLong(false)]
  assert.ok(kept < 2, `${kept} times as long`)
  assert.ok(notKept > 2, `${notKept} times as long as Node has it: this is of use no more`)
})
