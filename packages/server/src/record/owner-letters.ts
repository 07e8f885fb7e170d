/**
 * Mails to the owners of accounts, as rows that wait: a row is stored by the transaction that gives the reason, so a mail is sent when that is
 * committed, and only then. What the mail says, and the token in it, are made when it is sent.
 */

import type { LoginMark, OutgoingMailMark } from '../resource/accounts/identity-mark.ts'
import type { Marked } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import { type LetterName, lettersWithLink } from '../resource/letter-names.ts'
import type { Row, Values } from '../storage/storage.ts'
import { insertPrepared, prepare } from './insert.ts'
import { shownKeys, workingKeys } from './key-list.ts'
import type { Door } from './records.ts'
import { removeWhere } from './remove.ts'

export type Letter = {
  readonly letter: LetterName
  readonly recipient: string
  /** The user whom it is about; absent where only an address was given. */
  readonly owner?: Scalar
  readonly detail?: string
  /** What `Accept-Language` said. */
  readonly languages?: string | undefined
}

/**
 * No token but a note among them: whoever made the account, or chose its address, has not shown that the address is theirs. Only a proof
 * removes it.
 */
export const unproven = 'unproven'

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

/** Everything that could still become a proof: tokens that were sent, and mails that would bring a new one. */
async function endTokens(door: Door, owner: Scalar): Promise<void> {
  const { oneTimeToken, outgoingMail } = door.catalog
  if (!oneTimeToken) return
  const isNote = { kind: 'compare', field: oneTimeToken.mark.purpose, operator: 'ne', value: unproven } as const
  await removeWhere(door, oneTimeToken.resource, all(equal(oneTimeToken.mark.owner, owner), isNote))
  if (!outgoingMail) return
  const { resource, mark } = outgoingMail
  const hasLink = { kind: 'in', field: mark.letter, values: lettersWithLink } as const
  await removeWhere(door, resource, all(equal(mark.owner, owner), hasLink))
}

/** The keys that a new password leaves, for whoever wonders who has them. */
async function keysLeft(door: Door, owner: Scalar): Promise<string> {
  const keys = await workingKeys(door.transaction, door.catalog, { owner, now: door.now })
  return keys && door.catalog.apiKey ? shownKeys(door.catalog.apiKey.mark, keys) : '0'
}

/**
 * After a user was changed: tokens rest on the name to log in with, the password and the status, so they end with each. Whoever read mails
 * until now is told of a new name and a new password.
 */
export async function afterCredentialsChanged(door: Door, before: Row, row: Row): Promise<void> {
  const { login, outgoingMail } = door.catalog
  const { resource, mark } = login as Marked<LoginMark>
  const differs = (name: string | undefined) => name !== undefined && before[name] !== row[name]
  const owner = row[resource.idField] as Scalar
  const isKnownElsewhere = differs(mark.login)
  const hasNewSecret = differs(mark.secret)
  if (isKnownElsewhere || hasNewSecret || differs(mark.status)) await endTokens(door, owner)
  const recipient = before[mark.login] as string
  if (isKnownElsewhere)
    await send(door, { letter: 'address-changed', recipient, owner, detail: row[mark.login] as string })
  if (hasNewSecret && outgoingMail)
    await send(door, { letter: 'password-changed', recipient, owner, detail: await keysLeft(door, owner) })
}
