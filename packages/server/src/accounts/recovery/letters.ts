/** Mails of identity: what makes one wait, and what a waiting one is to say when its turn comes. */
import type { Records, Writing } from '../../record/records.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { hasLink, type LetterName } from '../../resource/letter-names.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { tellAudit } from '../audit.ts'
import { activeUser, type Marks } from '../marks.ts'
import { type Letter, valuesOfLetter } from '../owner-letters.ts'
import type { OneTimeTokens, Purpose } from './one-time-tokens.ts'

/** A mail that can be sent: everything but its words. */
export type ReadyLetter = {
  readonly letter: LetterName
  readonly recipient: string
  readonly token: string | undefined
  readonly detail: string | null
  readonly languages: string | null
}

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
  prepare(row: Row): Promise<ReadyLetter | undefined>
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
  readonly mails: Marked<OutgoingMailMark>
  readonly tokens: OneTimeTokens
}

export function makeLetters({ records, login, mails: { resource, mark }, tokens }: Parts): Letters {
  const idOf = (user: Row) => user[login.resource.idField] as Scalar
  const nameOf = (user: Row) => user[login.mark.login] as string

  async function send(writing: Writing, letter: Letter): Promise<void> {
    await writing.insert(await writing.prepare(resource, valuesOfLetter(mark, letter, writing.defaults.now)))
  }

  async function isFor(writing: Writing, purpose: Purpose, user: Row): Promise<boolean> {
    return purpose === 'verify' ? tokens.isAwaited(writing, idOf(user)) : activeUser(login, user) !== undefined
  }

  /** Whom a waiting mail is about. */
  async function userOf(writing: Writing, row: Row): Promise<Row | undefined> {
    const owner = row[mark.owner] as Scalar | null
    if (owner === null && ofOneAccount.includes(row[mark.letter])) return undefined // the user has gone
    const where =
      owner === null ? equal(login.mark.login, row[mark.recipient] as string) : equal(login.resource.idField, owner)
    const user = (await writing.lock(login.resource, where))?.row
    // A password or an address that changed meanwhile took the mail back, and whoever waited for the lock sees it.
    const isThere = user && (await writing.find(resource, equal(resource.idField, row[resource.idField] as Scalar)))
    return isThere && user
  }

  async function prepare(writing: Writing, row: Row): Promise<ReadyLetter | undefined> {
    const letter = row[mark.letter] as LetterName
    const detail = row[mark.detail] as string | null
    const ready = { letter, detail, languages: row[mark.languages] as string | null }
    if (!hasLink(letter)) return { ...ready, recipient: row[mark.recipient] as string, token: undefined }
    const user = await userOf(writing, row)
    if (!user || !(await isFor(writing, letter, user))) return undefined
    const address = letter === 'new-address' ? (detail ?? undefined) : undefined
    const token = await tokens.mint(writing, { owner: idOf(user), purpose: letter, address })
    const details = { from: row[mark.owner] === null ? detail : undefined }
    if (token !== undefined) await tellAudit(writing, { event: requested[letter], userId: idOf(user), details })
    // It goes to the address that is stored: another spelling of it, which was asked for, may be somebody else's.
    return token === undefined ? undefined : { ...ready, recipient: address ?? nameOf(user), token }
  }

  return {
    send,
    isFor,

    async awaitProof(writing, user, languages) {
      await tokens.awaitProof(writing, idOf(user))
      await send(writing, { letter: 'verify', recipient: nameOf(user), owner: idOf(user), languages })
    },

    noteUnproven: (writing, user) => tokens.noteUnproven(writing, idOf(user)),

    async proposeAddress(writing, user, { address, languages }) {
      const owner = idOf(user)
      await send(writing, { letter: 'new-address', recipient: address, owner, detail: address, languages })
      await send(writing, { letter: 'address-asked', recipient: nameOf(user), owner, detail: address, languages })
    },

    prepare: (row) => records.transaction(serviceAuthor, (writing) => prepare(writing, row)),

    async withdraw({ token }) {
      if (token !== undefined) await records.transaction(serviceAuthor, (writing) => tokens.withdraw(writing, token))
    },
  }
}
