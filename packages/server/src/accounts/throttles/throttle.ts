/**
 * Limits guesses of passwords and of second factors. Failures are counted in the database, so
 * restarts, other processes and forged headers do not help an attacker.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { countedAddress } from '../../base/counted-address.ts'
import { tooManyRequests } from '../../errors.ts'
import type { ReadStorage, StoredCounter } from '../../storage/storage.ts'
import { nonRecordMethods, recordReads, wrapStorage } from '../../storage/wrap-storage.ts'

const loginWindowMs = 15 * 60_000
export const failuresPerAccountMax = 10
export const failuresPerAddressMax = 100

/**
 * Guesses take time and run side by side in several processes, so the database counts them in the
 * order in which they end. A client learns an outcome only after it was counted. Once the count is
 * full, it learns none, right or wrong. Nothing is reserved, so a guess that breaks off leaves no
 * trace.
 */
export type Throttle = {
  /** Throws `too-many-requests` before any work is done for the guess. */
  check(account: string, address: string): Promise<void>
  /** Throws `too-many-requests` when other guesses filled the count meanwhile. */
  failed(account: string, address: string): Promise<void>
  /** Throws the same. Forgets the failures of the account. */
  succeeded(account: string, address: string): Promise<void>
  /**
   * Counts a guess at a second factor before it is judged. Codes are few and quick to judge: of
   * many that come at once, more would be judged than counted. They have a counter of their own: a
   * right password and a reset by mail forgive none of them. `guesser`: the user, or a device that
   * has logged in before. Throws the same.
   */
  reserve(guesser: string, address: string): Promise<void>
  /** After a factor was shown: forgets the guesses at it. */
  forgetGuesses(guesser: string): Promise<void>
  /** Throws when too many guesses came from the address. */
  checkAddress(address: string): Promise<void>
  /** Counts a reserved guess that was wrong towards its address. Throws the same. */
  wrong(address: string): Promise<void>
  /** Forgets the wrong passwords of the account. */
  forget(account: string): Promise<void>
}

const accountPrefix = 'login '
const addressPrefix = 'login from '
const factorPrefix = 'login factor '

/** The same storage; calls back for each wrong guess at an account. */
export function countingFailures(storage: ReadStorage, onFailed: () => void): ReadStorage {
  const own = {
    countUp(key: string, windowMs: number, nowMs: number) {
      if (key.startsWith(accountPrefix) && !key.startsWith(addressPrefix)) onFailed()
      return storage.countUp(key, windowMs, nowMs)
    },
  }
  return wrapStorage(storage, own, { ...recordReads, ...nonRecordMethods })
}

export function makeThrottle(storage: ReadStorage, clock: Clock): Throttle {
  // The key is a hash, so that the table of counters does not list the e-mail addresses that were
  // tried.
  const accountKey = (account: string) => `${accountPrefix}${hash('sha256', account, 'base64url')}`
  const factorKey = (guesser: string) => `${factorPrefix}${hash('sha256', guesser, 'base64url')}`
  const addressKey = (address: string) => `${addressPrefix}${countedAddress(address)}`

  const limitsOf = (account: string, address: string) =>
    [
      [accountKey(account), failuresPerAccountMax],
      [addressKey(address), failuresPerAddressMax],
    ] as const

  function refuseOver({ count, resetAtMs }: StoredCounter, max: number): void {
    if (count <= max) return
    throw tooManyRequests('Too many failed log-ins, try again later', resetAtMs - clock(), 'log-in-throttle')
  }

  async function check(account: string, address: string): Promise<void> {
    for (const [key, max] of limitsOf(account, address)) {
      refuseOver(await storage.readCounter(key, clock()), max - 1)
    }
  }

  const forget = (account: string) => storage.clearCounter(accountKey(account))

  async function checkAddress(address: string): Promise<void> {
    refuseOver(await storage.readCounter(addressKey(address), clock()), failuresPerAddressMax - 1)
  }

  return {
    check,
    forget,
    async failed(account, address) {
      const counted: [StoredCounter, number][] = []
      for (const [key, max] of limitsOf(account, address)) {
        counted.push([await storage.countUp(key, loginWindowMs, clock()), max])
      }
      for (const [counter, max] of counted) refuseOver(counter, max)
    },
    async succeeded(account, address) {
      await check(account, address)
      await forget(account)
    },
    checkAddress,
    async reserve(guesser, address) {
      await checkAddress(address)
      refuseOver(await storage.countUp(factorKey(guesser), loginWindowMs, clock()), failuresPerAccountMax)
    },
    forgetGuesses: (guesser) => storage.clearCounter(factorKey(guesser)),
    async wrong(address) {
      refuseOver(await storage.countUp(addressKey(address), loginWindowMs, clock()), failuresPerAddressMax)
    },
  }
}
