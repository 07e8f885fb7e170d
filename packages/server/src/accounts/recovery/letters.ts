/** Mails of identity: what makes one wait, and what a waiting one is to say when its turn comes. */
import type { Records, Writing } from '../../record/records.ts'
import { hasLink, type LetterName } from '../../resource/accounts/letter-names.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import type { EffectPlace } from '../../storage/stored-effects.ts'
import { tellAudit } from '../audit/audit.ts'
import { activeUser, type Marks } from '../marks.ts'
import type { OneTimeTokens, Purpose } from './one-time-tokens.ts'
import { type Letter, leaveLetter, type WaitingLetter } from './owner-letters.ts'

/** A mail that can be sent: everything but its words. */
export type ReadyLetter = {
  readonly letter: LetterName
  readonly recipient: string
  readonly token: string | undefined
  readonly detail: string | null
  readonly languages: string | null
}

/** A mail that is to be made, and its place among all that wait: it may be taken back. */
export type Waiting = { readonly place: EffectPlace; readonly letter: WaitingLetter }

export type Letters = {
  /** Leaves a mail to be made. */
  send(writing: Writing, letter: Letter): Promise<void>
  /** In the transaction that stores a new user, who may act when the address is proven. */
  awaitProof(writing: Writing, user: Row, languages: string | undefined): Promise<void>
  /** In the transaction that stores a new user, or an address that its user has not proven. */
  noteUnproven(writing: Writing, user: Row): Promise<void>
  /** A new address of a user, in place of the change: it waits for its proof, and the address of today is told. */
  proposeAddress(
    writing: Writing,
    user: Row,
    proposal: { readonly address: string; readonly languages: string | undefined },
  ): Promise<void>
  /** Whether the user of today may have a token for this, or use one. */
  isFor(writing: Writing, purpose: Purpose, user: Row): Promise<boolean>
  /** A waiting mail → what it is to say, with a token of its own; undefined where nobody is to get it. */
  prepare(waiting: Waiting): Promise<ReadyLetter | undefined>
  /** After a mail could not be sent: its token ends, and the next try has another one. */
  withdraw(ready: ReadyLetter): Promise<void>
}

const requested = {
  reset: 'reset-requested',
  'log-in': 'log-in-link-requested',
  verify: 'verification-requested',
  'new-address': 'verification-requested',
  'own-address': 'verification-requested',
} as const

/** These are about one account, whoever has its address by then. */
const ofOneAccount: readonly unknown[] = ['new-address', 'own-address'] satisfies LetterName[]

type Parts = {
  readonly records: Records
  readonly login: Marks['login']
  readonly tokens: OneTimeTokens
}

export function makeLetters({ records, login, tokens }: Parts): Letters {
  const idOf = (user: Row) => user[login.resource.idField] as Scalar
  const nameOf = (user: Row) => user[login.mark.login] as string

  async function isFor(writing: Writing, purpose: Purpose, user: Row): Promise<boolean> {
    return purpose === 'verify' ? tokens.isAwaited(writing, idOf(user)) : activeUser(login, user) !== undefined
  }

  /** Whom a waiting mail is about. */
  async function userOf(writing: Writing, { place, letter }: Waiting): Promise<Row | undefined> {
    const { owner, recipient } = letter
    if (owner === null && ofOneAccount.includes(letter.letter)) return undefined // the user has gone
    const where = owner === null ? equal(login.mark.login, recipient) : equal(login.resource.idField, owner)
    const user = (await writing.lock(login.resource, where))?.row
    // A password or an address that changed meanwhile took the mail back, and whoever waited for the lock sees it.
    return user && (await writing.hasEffect(place)) ? user : undefined
  }

  async function prepare(writing: Writing, waiting: Waiting): Promise<ReadyLetter | undefined> {
    const { letter, detail, languages, recipient, owner } = waiting.letter
    const ready = { letter, detail, languages }
    if (!hasLink(letter)) return { ...ready, recipient, token: undefined }
    const user = await userOf(writing, waiting)
    if (!user || !(await isFor(writing, letter, user))) return undefined
    const address = letter === 'new-address' ? (detail ?? undefined) : undefined
    const token = await tokens.mint(writing, { owner: idOf(user), purpose: letter, address })
    const details = { from: owner === null ? detail : undefined }
    if (token !== undefined) await tellAudit(writing, { event: requested[letter], userId: idOf(user), details })
    // It goes to the address that is stored: another spelling of it, which was asked for, may be somebody else's.
    return token === undefined ? undefined : { ...ready, recipient: address ?? nameOf(user), token }
  }

  return {
    send: leaveLetter,
    isFor,

    async awaitProof(writing, user, languages) {
      await tokens.awaitProof(writing, idOf(user))
      await leaveLetter(writing, { letter: 'verify', recipient: nameOf(user), owner: idOf(user), languages })
    },

    noteUnproven: (writing, user) => tokens.noteUnproven(writing, idOf(user)),

    async proposeAddress(writing, user, { address, languages }) {
      const owner = idOf(user)
      await leaveLetter(writing, { letter: 'new-address', recipient: address, owner, detail: address, languages })
      await leaveLetter(writing, {
        letter: 'address-asked',
        recipient: nameOf(user),
        owner,
        detail: address,
        languages,
      })
    },

    prepare: (waiting) => records.transaction(serviceAuthor, (writing) => prepare(writing, waiting)),

    async withdraw({ token }) {
      if (token !== undefined) await records.transaction(serviceAuthor, (writing) => tokens.withdraw(writing, token))
    },
  }
}
