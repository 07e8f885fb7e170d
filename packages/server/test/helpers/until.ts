/**
 * Waiting for what comes, however slow the machine is. The only bound is so long that a test which
 * meets it is stuck: no outcome hangs on how fast something was.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Much longer than anything takes here, even on one busy core. */
export const stuckMs = 240_000

/**
 * Does it again where it took longer. Use it where the wrong thing would wait for a known time, the
 * right one does not, and a slow machine may take as long by chance: each try of the wrong thing
 * takes at least `ms`, and it is enough that one takes less.
 */
export async function inLessThan(ms: number, work: () => Promise<unknown>, triesMax = 5): Promise<void> {
  const took: number[] = []
  while (took.length < triesMax) {
    const sinceMs = performance.now()
    await work()
    took.push(Math.round(performance.now() - sinceMs))
    if ((took.at(-1) as number) < ms) return
  }
  throw new Error(`Never in less than ${ms} ms, but in ${took.join(', ')} ms`)
}

/**
 * Looks until it is so. Throws when that takes so long that it is stuck, and says for what it
 * waited.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string),
  everyMs = 10,
): Promise<void> {
  const endMs = performance.now() + stuckMs
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Still waiting: ${typeof what === 'string' ? what : what()}`)
    await sleep(everyMs)
  }
}
