/**
 * The proof of an address by its logged-in user. One person then holds mailbox and account, so
 * nothing of the account is removed, unlike in `first-proof.ts`. The link of the mail alone proves
 * nothing. A stranger could make an account in another's name, and wait for the owner to follow the
 * link.
 */
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { LoginMark, OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import type { MailLimit } from '../throttles/mail-limit.ts'
import type { AccountMails } from './account-mails.ts'
import { invalidTokenError, type OneTimeTokens, takeUnproven } from './one-time-tokens.ts'

export type OwnAddress = {
  /** Leaves the mail to be made, in the transaction of the request. */
  sendProof(tx: RecordTransaction, user: Row, languages: string | undefined): Promise<void>
  /** Throws `forbidden` for a token that is no good for this user. */
  proveOwn(tx: RecordTransaction, user: Row, token: string): Promise<void>
  /** Runs the transaction of `proveOwn`, and counts failed tries. Throws `too-many-requests`. */
  trying<T>(address: string, prove: () => Promise<T>): Promise<T>
}

type OwnAddressDeps = {
  readonly login: MarkedTable<LoginMark>
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark>
  readonly tokens: OneTimeTokens
  readonly mails: AccountMails
  readonly limit: MailLimit
}

export function makeOwnAddress({ login, oneTimeToken, tokens, mails, limit }: OwnAddressDeps): OwnAddress {
  const idOf = (user: Row) => user[login.resource.idField] as Scalar
  return {
    sendProof: (tx, user, languages) =>
      mails.send(tx, {
        letter: 'own-address',
        recipient: user[login.mark.login] as string,
        owner: idOf(user),
        languages,
      }),

    async proveOwn(tx, user, token) {
      const spent = await tokens.spend(tx, token, ['own-address'])
      if (!spent || idOf(spent.user) !== idOf(user)) throw invalidTokenError('forbidden')
      await takeUnproven(tx, oneTimeToken, idOf(user))
      await recordAudit(tx, { event: 'email-verified', userId: idOf(user) })
    },

    async trying(address, prove) {
      await limit.checkTries(address)
      try {
        return await prove()
      } catch (error) {
        if (error instanceof ApiError && error.code === 'forbidden') await limit.failed(address)
        throw error
      }
    },
  }
}
