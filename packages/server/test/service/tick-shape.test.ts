/** `process.nextTick` stays fast through collections of the heap that meet none of its objects. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

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

async function timesAsLong(isKept: boolean): Promise<number> {
  const flags = ['--expose-gc', '--input-type=module', '--eval', program(isKept)]
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd })
  return Number.parseFloat(stdout)
}

test('a tick takes no longer after the heap was looked over while there was none', async () => {
  const [kept, notKept] = [await timesAsLong(true), await timesAsLong(false)]
  assert.ok(kept < 2, `${kept} times as long`)
  assert.ok(notKept > kept, `${notKept} times as long as Node has it, and ${kept}: this is of use no more`)
})
