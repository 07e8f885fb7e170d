/**
 * Mails to the owners of accounts, as rows that wait: a row is stored by the transaction that gives the reason, so a mail is sent when that is
 * committed, and only then. What the mail says, and the token in it, are made when it is sent.
 */
import type { Marked } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { LoginMark, OutgoingMailMark } from '../resource/identity-mark.ts'
import type { Row, Values } from '../storage/storage.ts'
import { insertPrepared, prepare } from './insert.ts'
import type { Door } from './records.ts'
import { removeWhere } from './remove.ts'

/** Those with a link have a token in it. */
const lettersWithLink = ['reset', 'log-in', 'verify', 'new-address'] as const
export const letters = [...lettersWithLink, 'address-asked', 'address-changed', 'password-changed'] as const
export type LetterWithLink = (typeof lettersWithLink)[number]
export type LetterName = (typeof letters)[number]

export type Letter = {
  readonly letter: LetterName
  readonly recipient: string
  /** The user whom it is about; absent where only an address was given. */
  readonly owner?: Scalar
  readonly detail?: string
  /** What `Accept-Language` said. */
  readonly languages?: string | undefined
}

const languagesLengthMax = 100

/** The values of a row that waits. */
export function valuesOfLetter(mark: OutgoingMailMark, letter: Letter, now: string): Values {
  return {
    [mark.owner]: letter.owner ?? null,
    [mark.letter]: letter.letter,
    [mark.recipient]: letter.recipient,
    [mark.detail]: letter.detail ?? null,
    [mark.languages]: letter.languages?.slice(0, languagesLengthMax).toWellFormed() ?? null,
    [mark.tries]: 0,
    [mark.dueAt]: now,
  }
}

async function send(door: Door, letter: Letter): Promise<void> {
  const { outgoingMail } = door.catalog
  if (!outgoingMail) return
  const { resource, mark } = outgoingMail
  const values = valuesOfLetter(mark, { ...letter, languages: door.author.languages }, door.now)
  await insertPrepared(door, await prepare(door, resource, values))
}

/**
 * After a user was changed: tokens that were sent rest on the name to log in with, the password and the status, so they end with each. Whoever
 * read mails until now is told of a new name and a new password.
 */
export async function afterCredentialsChanged(door: Door, before: Row, row: Row): Promise<void> {
  const { login, oneTimeToken } = door.catalog
  const { resource, mark } = login as Marked<LoginMark>
  const differs = (name: string | undefined) => name !== undefined && before[name] !== row[name]
  const owner = row[resource.idField] as Scalar
  const isKnownElsewhere = differs(mark.login)
  const hasNewSecret = differs(mark.secret)
  if (oneTimeToken && (isKnownElsewhere || hasNewSecret || differs(mark.status)))
    await removeWhere(door, oneTimeToken.resource, equal(oneTimeToken.mark.owner, owner))
  const recipient = before[mark.login] as string
  if (isKnownElsewhere)
    await send(door, { letter: 'address-changed', recipient, owner, detail: row[mark.login] as string })
  if (hasNewSecret) await send(door, { letter: 'password-changed', recipient, owner })
}
