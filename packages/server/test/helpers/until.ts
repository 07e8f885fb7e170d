/**
 * Waits for a condition, however slow the machine is. The bound is so long that only a test that
 * hangs reaches it, so no outcome depends on speed.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Much longer than anything takes here, even on one busy core. */
export const stuckMs = 240_000

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
