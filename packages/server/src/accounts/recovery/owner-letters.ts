/**
 * Mails to the owners of accounts, as work that waits: it is left by the transaction that gives the
 * reason, so a mail is sent when that is committed, and only then. What the mail says, and the
 * token in it, are made when it is sent.
 */
import type { Writing } from '../../record/records.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import { hasLink, type LetterName } from '../../resource/accounts/letter-names.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'

/** The kind of work that mails are. */
export const mailKind = 'mail'

export type Letter = {
  readonly letter: LetterName
  readonly recipient: string
  /** The user whom it is about; absent where only an address was given. */
  readonly owner?: Scalar
  readonly detail?: string
  /** The value of `Accept-Language`. */
  readonly languages?: string | undefined
}

/** A mail as it waits. */
export type WaitingLetter = {
  readonly letter: LetterName
  readonly recipient: string
  readonly owner: Scalar | null
  readonly detail: string | null
  readonly languages: string | null
}

/**
 * No token but a note among them: whoever made the account, or chose its address, has not shown
 * that the address is theirs. Only a proof removes it.
 */
export const unproven = 'unproven'

const languagesLengthMax = 100

/** Mails with a link to an account are found by its user, to be taken back. */
const linksOf = (owner: Scalar) => `links of ${owner}`

export async function leaveWaiting(writing: Writing, letter: WaitingLetter): Promise<void> {
  const { owner } = letter
  const key = owner !== null && hasLink(letter.letter) ? linksOf(owner) : undefined
  await writing.leave({ kind: mailKind, key, payload: letter })
}

/** Nothing in an application without mails. */
export async function leaveLetter(writing: Writing, letter: Letter): Promise<void> {
  if (!writing.catalog.outgoingMail) return
  const { owner = null, detail = null, languages } = letter
  const asked = languages?.slice(0, languagesLengthMax).toWellFormed() ?? null
  await leaveWaiting(writing, { ...letter, owner, detail, languages: asked })
}

/** Mails that wait with a link to this account are not sent. */
export async function takeLinksBack(writing: Writing, owner: Scalar): Promise<void> {
  await writing.takeBackEffects(mailKind, linksOf(owner))
}

/**
 * A mail that waits as a record: one that an application left, or an instance of an earlier
 * version.
 */
export function letterIn(mark: OutgoingMailMark, row: Row): WaitingLetter {
  return {
    letter: row[mark.letter] as LetterName,
    recipient: row[mark.recipient] as string,
    owner: row[mark.owner] as Scalar | null,
    detail: row[mark.detail] as string | null,
    languages: row[mark.languages] as string | null,
  }
}
