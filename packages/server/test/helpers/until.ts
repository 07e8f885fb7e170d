/**
 * Waiting for what comes, however slow the machine is. The only bound is so long that a test which
 * meets it is stuck: no outcome hangs on how fast something was.
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
