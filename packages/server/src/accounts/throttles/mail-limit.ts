/**
 * Limits requests for mails, and tries of tokens. Requests are counted alike whether the account
 * exists or not, in the database, like guesses of passwords. A tenant learns nothing of the mails
 * of others: limits across tenants drop a mail at its delivery, and refuse no request.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { countedAddress } from '../../base/counted-address.ts'
import { tooManyRequests } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { ReadStorage } from '../../storage/storage.ts'

const windowMs = 15 * 60_000
const perAccountMax = 10
const perAddressMax = 100

/** A mail to an account, and its maker. `tenant`: the one that an invitation is of, by its id. */
export type CountedMail = { readonly by: string; readonly account: string }
export type CountedInvitation = CountedMail & { readonly tenant: string }

type CountsInTransaction = Pick<RecordTransaction, 'countUp'>

export type MailLimit = {
  /** Counts a mail that was asked for. Throws `too-many-requests`. */
  asked(account: string, address: string): Promise<void>
  /**
   * In the transaction of the write, once its rule has let it pass: a refused one costs nothing.
   * Throws `too-many-requests`.
   */
  invited(tx: CountsInTransaction, invitation: CountedInvitation): Promise<void>
  /** The same for the proof of a new address, which a user asks for. */
  proposed(tx: CountsInTransaction, proposal: CountedMail): Promise<void>
  /**
   * Counts an invitation of any tenant at its delivery: whether it is sent. `address`: where its
   * request came from.
   */
  mayDeliver(tx: CountsInTransaction, account: string, address: string | null): Promise<boolean>
  /** Throws `too-many-requests` after too many failed tries of tokens. */
  checkTries(address: string): Promise<void>
  failed(address: string): Promise<void>
}

export function makeMailLimit(storage: ReadStorage, clock: Clock): MailLimit {
  // The key is a hash, so that the table of counters does not list the e-mail addresses that were
  // asked for.
  const hashed = (text: string) => hash('sha256', text, 'base64url')
  const accountKey = (account: string) => `mail ${hashed(account)}`
  const triesKey = (address: string) => `token from ${countedAddress(address)}`

  async function count(key: string, max: number, counts: CountsInTransaction = storage): Promise<void> {
    const { count, resetAtMs } = await counts.countUp(key, windowMs, clock())
    if (count > max)
      throw tooManyRequests('Too many mails were asked for, try again later', resetAtMs - clock(), 'mail-limit')
  }

  return {
    async asked(account, address) {
      await count(`mail from ${countedAddress(address)}`, perAddressMax)
      await count(accountKey(account), perAccountMax)
    },
    // The counter of the caller comes first: transactions of one caller then wait in one order.
    async invited(tx, { by, tenant, account }) {
      await count(`invitations by ${by}`, perAddressMax, tx)
      await count(`invitations of ${hashed(`${tenant} ${account}`)}`, perAccountMax, tx)
    },
    async proposed(tx, { by, account }) {
      await count(`new addresses of ${by}`, perAccountMax, tx)
      await count(accountKey(account), perAccountMax, tx)
    },
    async mayDeliver(tx, account, address) {
      const counts = [await tx.countUp(`invitations to ${hashed(account)}`, windowMs, clock())]
      const fits = [perAccountMax, perAddressMax]
      if (address !== null)
        counts.push(await tx.countUp(`invitations from ${countedAddress(address)}`, windowMs, clock()))
      return counts.every(({ count }, i) => count <= (fits[i] as number))
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
