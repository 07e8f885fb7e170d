/** How often one may guess: failures are counted in the database, so restarting, other processes and forged headers do not help. */
import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'

export const loginWindowMs = 15 * 60_000
export const failuresPerAccountMax = 10
export const failuresPerAddressMax = 100

export type Throttle = {
  /** Throws `too-many-requests`, before any work is done for the guess. */
  check(account: string, address: string): Promise<void>
  failed(account: string, address: string): Promise<void>
  succeeded(account: string): Promise<void>
}

export function makeThrottle(storage: Storage, clock: Clock): Throttle {
  // A hash, so that the table of counters is no list of e-mail addresses that somebody tried.
  const accountKey = (account: string) => `login ${createHash('sha256').update(account).digest('base64url')}`
  const addressKey = (address: string) => `login from ${address}`

  return {
    async check(account, address) {
      const limits = [
        [accountKey(account), failuresPerAccountMax],
        [addressKey(address), failuresPerAddressMax],
      ] as const
      for (const [key, max] of limits) {
        const { count, resetAtMs } = await storage.readCounter(key, clock())
        if (count < max) continue
        const retryAfterSeconds = Math.max(1, Math.ceil((resetAtMs - clock()) / 1000))
        throw new ApiError('too-many-requests', 'Too many failed log-ins, try again later', { retryAfterSeconds })
      }
    },
    async failed(account, address) {
      await storage.countUp(accountKey(account), loginWindowMs, clock())
      await storage.countUp(addressKey(address), loginWindowMs, clock())
    },
    succeeded: (account) => storage.clearCounter(accountKey(account)),
  }
}
