/**
 * `process.nextTick` stays fast after garbage collections at moments when none of its objects is
 * alive.
 */
import { test } from 'node:test'
import { assertDiffers } from '../helpers/assert-differs.ts'

const tickShape = new URL('../../src/service/tick-shape.ts', import.meta.url).href

/**
 * Prints how many times as much of the processor a tick takes after such collections; the least of
 * several rounds each. Time that other processes have of the processor does not count: with all
 * tests running on two cores it would decide the answer.
 */
const program = (isKept: boolean) => `
  if (${isKept}) (await import(${JSON.stringify(tickShape)})).keepTickShape()
  const ticks = 200_000
  const spentUs = () => { const { user, system } = process.threadCpuUsage(); return user + system }
  const round = () => new Promise((resolve) => {
    const began = spentUs()
    let left = ticks
    const tick = () => (left-- > 0 ? process.nextTick(tick, left) : resolve(spentUs() - began))
    tick()
  })
  const least = async () => {
    const times = []
    for (let i = 0; i < 6; i += 1) times.push(await round())
    return Math.min(...times)
  }
  const before = await least()
  for (let i = 0; i < 8; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    gc()
  }
  console.log((await least()) / before)
`

test('a tick takes no longer after the heap was looked over while there was none', () =>
  assertDiffers({ program, flags: ['--expose-gc'] }, (timesAsMuch, usual) => timesAsMuch < 2 && usual > 2))
