/** The mails of accounts: queues them, and makes their content when they are sent. */
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import { hasLink, type MailName } from '../../resource/accounts/mail-names.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import type { EffectPlace } from '../../storage/stored-effects.ts'
import { recordAudit } from '../audit/audit.ts'
import { activeUser, type IdentityTables } from '../identity-tables.ts'
import { accountOf } from '../sessions/session.ts'
import type { MailLimit } from '../throttles/mail-limit.ts'
import { drawToken, hashToken } from '../tokens/token.ts'
import type { InvitationKeeper } from './accept-invitation.ts'
import type { OneTimeTokens, TokenPurpose } from './one-time-tokens.ts'
import { type AccountMail, type QueuedMail, queueOwnerMail } from './owner-mails.ts'

/** A mail that can be sent: all its data but the words. */
export type SendableMail = {
  readonly letter: MailName
  readonly recipient: string
  readonly token: string | undefined
  readonly detail: string | null
  readonly languages: string | null
}

/** A queued mail, and its place in the queue: it may be withdrawn. */
export type QueueEntry = { readonly place: EffectPlace; readonly letter: QueuedMail; readonly isFirstTry: boolean }

export type AccountMails = {
  /** Leaves a mail to be made. */
  send(tx: RecordTransaction, letter: AccountMail): Promise<void>
  /** In the transaction that stores a new user, who may act when the address is proven. */
  awaitProof(tx: RecordTransaction, user: Row, languages: string | undefined): Promise<void>
  /** In the transaction that stores a new user, or an address that its user has not proven. */
  noteUnproven(tx: RecordTransaction, user: Row): Promise<void>
  /**
   * A new address of a user, in place of the change. It waits for its proof, and a mail informs the
   * present address.
   */
  proposeAddress(
    tx: RecordTransaction,
    user: Row,
    proposal: { readonly address: string; readonly languages: string | undefined },
  ): Promise<void>
  /** Whether the user of today may have a token for this, or use one. */
  isFor(tx: RecordTransaction, purpose: TokenPurpose, user: Row): Promise<boolean>
  /**
   * A queued mail → its content, with a token of its own; undefined where it has no recipient any
   * more. `too-many`: it is dropped, because its recipient has had as many.
   */
  prepare(waiting: QueueEntry): Promise<SendableMail | 'too-many' | undefined>
  /** After a mail could not be sent: its token ends, and the next try has another one. */
  withdraw(ready: SendableMail): Promise<void>
}

const requested = {
  reset: 'reset-requested',
  'log-in': 'log-in-link-requested',
  verify: 'verification-requested',
  'new-address': 'verification-requested',
  'own-address': 'verification-requested',
} as const

/** These are about one account, even if another one has its address by then. */
const ofOneAccount: readonly unknown[] = ['new-address', 'own-address'] satisfies MailName[]

type AccountMailsDeps = {
  readonly limit: MailLimit
  readonly invitations: InvitationKeeper | undefined
  readonly records: RecordStore
  readonly login: IdentityTables['login']
  readonly tokens: OneTimeTokens
}

export function makeAccountMails({ records, login, tokens, invitations, limit }: AccountMailsDeps): AccountMails {
  const idOf = (user: Row) => user[login.resource.idField] as Scalar
  const nameOf = (user: Row) => user[login.mark.login] as string

  async function isFor(tx: RecordTransaction, purpose: TokenPurpose, user: Row): Promise<boolean> {
    return purpose === 'verify' ? tokens.isAwaited(tx, idOf(user)) : activeUser(login, user) !== undefined
  }

  /** The user whom a queued mail is about. */
  async function userOf(tx: RecordTransaction, { place, letter }: QueueEntry): Promise<Row | undefined> {
    const { owner, recipient } = letter
    // the user has gone
    if (owner === null && ofOneAccount.includes(letter.letter)) return undefined
    const where = owner === null ? equal(login.mark.login, recipient) : equal(login.resource.idField, owner)
    const user = (await tx.lock(login.resource, where))?.row
    // A password or an address that changed meanwhile withdrew the mail; this sees it after the
    // lock.
    return user && (await tx.hasEffect(place)) ? user : undefined
  }

  /** Each mail of an invitation has a token of its own, and the ones before end. */
  async function prepareInvitation(
    tx: RecordTransaction,
    { letter: { detail, languages, address = null }, isFirstTry }: QueueEntry,
  ): Promise<SendableMail | 'too-many' | undefined> {
    const token = drawToken()
    const found = await invitations?.renew(tx, detail ?? '', hashToken(token))
    if (found && isFirstTry) {
      const { account } = accountOf(login, found.recipient)
      if (!(await limit.mayDeliver(tx, account, address))) return 'too-many'
    }
    return found && { letter: 'invite', recipient: found.recipient, detail: found.about, languages, token }
  }

  async function prepare(tx: RecordTransaction, waiting: QueueEntry): Promise<SendableMail | 'too-many' | undefined> {
    const { letter, detail, languages, recipient, owner } = waiting.letter
    const ready = { letter, detail, languages }
    if (!hasLink(letter)) return { ...ready, recipient, token: undefined }
    if (letter === 'invite') return prepareInvitation(tx, waiting)
    const user = await userOf(tx, waiting)
    if (!user || !(await isFor(tx, letter, user))) return undefined
    const address = letter === 'new-address' ? (detail ?? undefined) : undefined
    const token = await tokens.mint(tx, { owner: idOf(user), purpose: letter, address })
    const details = { from: owner === null ? detail : undefined }
    if (token !== undefined) await recordAudit(tx, { event: requested[letter], userId: idOf(user), details })
    // It goes to the stored address: another spelling of it, which the request had, may belong to
    // another person.
    return token === undefined ? undefined : { ...ready, recipient: address ?? nameOf(user), token }
  }

  return {
    send: queueOwnerMail,
    isFor,

    async awaitProof(tx, user, languages) {
      await tokens.awaitProof(tx, idOf(user))
      await queueOwnerMail(tx, { letter: 'verify', recipient: nameOf(user), owner: idOf(user), languages })
    },

    noteUnproven: (tx, user) => tokens.noteUnproven(tx, idOf(user)),

    async proposeAddress(tx, user, { address, languages }) {
      const owner = idOf(user)
      await queueOwnerMail(tx, { letter: 'new-address', recipient: address, owner, detail: address, languages })
      await queueOwnerMail(tx, {
        letter: 'address-asked',
        recipient: nameOf(user),
        owner,
        detail: address,
        languages,
      })
    },

    prepare: (waiting) => records.transaction(serviceAuthor, (tx) => prepare(tx, waiting)),

    async withdraw({ token }) {
      if (token !== undefined) await records.transaction(serviceAuthor, (tx) => tokens.withdraw(tx, token))
    },
  }
}
