/**
 * Limits the accounts that one address may make (`SIGN_UP_LIMIT`). The database counts them, so the
 * limit is exact for parallel requests and for all processes.
 */
import type { Clock } from '../../base/clock.ts'
import { countedAddress } from '../../base/counted-address.ts'
import { tooManyRequests } from '../../errors.ts'
import type { ReadStorage } from '../../storage/storage.ts'

export type SignUpLimit = { readonly points: number; readonly windowSeconds: number }

/**
 * Counts a sign-up, whether an account comes of it or not. Throws `too-many-requests` beyond the
 * limit.
 */
export type CountSignUp = (address: string) => Promise<void>

/** Without a limit nothing is counted. */
export function makeSignUpLimit(storage: ReadStorage, clock: Clock, limit: SignUpLimit | undefined): CountSignUp {
  return async (address) => {
    if (!limit) return
    const nowMs = clock()
    const { count, resetAtMs } = await storage.countUp(
      `sign-up from ${countedAddress(address)}`,
      limit.windowSeconds * 1000,
      nowMs,
    )
    if (count > limit.points)
      throw tooManyRequests('Too many sign-ups, try again later', resetAtMs - nowMs, 'sign-up-limit')
  }
}
