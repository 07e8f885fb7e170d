/**
 * Limits requests for mails, and tries of tokens. Requests are counted alike whether the account
 * exists or not, in the database, like guesses of passwords.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { countedAddress } from '../../base/counted-address.ts'
import { tooManyRequests } from '../../errors.ts'
import type { ReadStorage } from '../../storage/storage.ts'

const windowMs = 15 * 60_000
const perAccountMax = 10
const perAddressMax = 100

export type MailLimit = {
  /** Counts a mail that was asked for. Throws `too-many-requests`. */
  asked(account: string, address: string): Promise<void>
  /** Throws `too-many-requests` after too many failed tries of tokens. */
  checkTries(address: string): Promise<void>
  failed(address: string): Promise<void>
}

export function makeMailLimit(storage: ReadStorage, clock: Clock): MailLimit {
  // The key is a hash, so that the table of counters does not list the e-mail addresses that were
  // asked for.
  const accountKey = (account: string) => `mail ${hash('sha256', account, 'base64url')}`
  const triesKey = (address: string) => `token from ${countedAddress(address)}`

  async function count(key: string, max: number): Promise<void> {
    const { count, resetAtMs } = await storage.countUp(key, windowMs, clock())
    if (count > max)
      throw tooManyRequests('Too many mails were asked for, try again later', resetAtMs - clock(), 'mail-limit')
  }

  return {
    async asked(account, address) {
      await count(`mail from ${countedAddress(address)}`, perAddressMax)
      await count(accountKey(account), perAccountMax)
    },
    async checkTries(address) {
      const { count, resetAtMs } = await storage.readCounter(triesKey(address), clock())
      if (count >= perAddressMax)
        throw tooManyRequests('Too many tokens were tried, try again later', resetAtMs - clock(), 'mail-limit')
    },
    async failed(address) {
      await storage.countUp(triesKey(address), windowMs, clock())
    },
  }
}
