/**
 * Mails to the owners of accounts, queued as effects. The transaction of the change queues the
 * mail, so it is sent only after the commit. Its content and its token are made when it is sent.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import { hasLink, type MailName } from '../../resource/accounts/mail-names.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'

/** The kind of work that mails are. */
export const mailKind = 'mail'

export type AccountMail = {
  readonly letter: MailName
  readonly recipient: string
  /** The user whom it is about; absent where only an address was given. */
  readonly owner?: Scalar
  readonly detail?: string
  /** The value of `Accept-Language`. */
  readonly languages?: string | undefined
}

/** A mail as it waits. */
export type QueuedMail = {
  readonly letter: MailName
  readonly recipient: string
  readonly owner: Scalar | null
  readonly detail: string | null
  readonly languages: string | null
  /** Of an invitation: the network address that its request came from. */
  readonly address?: string | null
}

/**
 * The purpose of a note that is no token: the maker of the account, or of its new address, has not
 * proven the address. Only a proof removes it.
 */
export const unproven = 'unproven'

const languagesLengthMax = 100

/** The key of mails with a link to an account, by which they are withdrawn. */
const linksOf = (owner: Scalar) => `links of ${owner}`

export async function queueMail(tx: RecordTransaction, letter: QueuedMail): Promise<void> {
  const { owner } = letter
  const key = owner !== null && hasLink(letter.letter) ? linksOf(owner) : undefined
  await tx.leave({ kind: mailKind, key, payload: letter })
}

/** Nothing in an application without mails. */
export async function queueOwnerMail(tx: RecordTransaction, letter: AccountMail): Promise<void> {
  if (!tx.catalog.outgoingMail) return
  const { owner = null, detail = null, languages } = letter
  const asked = languages?.slice(0, languagesLengthMax).toWellFormed() ?? null
  await queueMail(tx, { ...letter, owner, detail, languages: asked })
}

/** Mails that wait with a link to this account are not sent. */
export async function withdrawLinks(tx: RecordTransaction, owner: Scalar): Promise<void> {
  await tx.takeBackEffects(mailKind, linksOf(owner))
}

/**
 * A mail that waits as a record: one that an application left, or an instance of an earlier
 * version.
 */
export function parseQueuedMail(mark: OutgoingMailMark, row: Row): QueuedMail {
  return {
    letter: row[mark.letter] as MailName,
    recipient: row[mark.recipient] as string,
    owner: row[mark.owner] as Scalar | null,
    detail: row[mark.detail] as string | null,
    languages: row[mark.languages] as string | null,
  }
}
