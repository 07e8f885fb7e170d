/** Waits for a condition, however slow the machine is. Only a test that hangs reaches the bound. */
import { setTimeout as sleep } from 'node:timers/promises'

const stuckMs = 240_000

/**
 * Looks until it is so. Throws when that takes so long that it is stuck, and says for what it
 * waited.
 */
export async function until(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (const endMs = performance.now() + stuckMs; !(await isSo()); await sleep(15))
    if (performance.now() > endMs) throw new Error(`Still waiting: ${what()}`)
}
