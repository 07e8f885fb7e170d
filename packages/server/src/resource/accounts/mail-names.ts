/**
 * The names of the mails that the server can write. A waiting mail names one of them, so that field
 * takes no other word, whichever way the row comes.
 */

import type { DeclaredResource } from '../define.ts'
import { type Field, fieldError } from '../fields/field.ts'
import { markOf } from './engine-table.ts'
import type { OutgoingMailMark } from './identity-mark.ts'

/** Those with a link have a token in it. */
export const mailsWithLink = ['reset', 'log-in', 'verify', 'new-address', 'own-address', 'invite'] as const
const notices = ['address-asked', 'address-changed', 'password-changed', 'address-proven'] as const
/** The engine alone sends it: an endpoint of webhooks was switched off. */
export const webhookMail = 'webhook-off'
export const mailNames = [...mailsWithLink, ...notices, webhookMail] as const
export type MailWithLink = (typeof mailsWithLink)[number]
export type MailName = (typeof mailNames)[number]

export function hasLink(letter: MailName): letter is MailWithLink {
  return (mailsWithLink as readonly string[]).includes(letter)
}

/**
 * The letters that code of an application may leave; those with links need tokens. The engine alone
 * sends invitations.
 */
export function mailsOf({ hasTokens }: { readonly hasTokens: boolean }): readonly string[] {
  return hasTokens ? mailNames.filter((one) => one !== 'invite' && one !== webhookMail) : notices
}

type QueuedMailPart = Extract<keyof OutgoingMailMark, 'owner' | 'detail'>
const needs: Readonly<Partial<Record<MailName, readonly QueuedMailPart[]>>> = {
  'new-address': ['owner', 'detail'],
  'own-address': ['owner'],
  invite: ['detail'],
  'address-asked': ['detail'],
  'address-changed': ['detail'],
  [webhookMail]: ['detail'],
}

/** The parts of a mail without which this letter has no content or no recipient. */
export function partsNeededBy(letter: unknown): readonly QueuedMailPart[] {
  return needs[letter as MailName] ?? []
}

function heldToWords(field: Field, words: readonly string[]): Field {
  const { type } = field
  const among = (value: unknown, name: string): unknown => {
    if (words.includes(value as string)) return value
    throw fieldError(name, `must be one of ${words.join(', ')}`)
  }
  const held: Field['type'] = {
    ...type,
    check: (value, name, of) => among(type.check(value, name, of), name),
    checkStored: (value, name, of) => among(type.checkStored(value, name, of), name),
    schema: (of) => ({ ...type.schema(of), enum: words }),
  }
  return { ...field, type: held }
}

/** The declarations, with the field for the letter of a waiting mail limited to these names. */
export function checkMailTables(declarations: readonly DeclaredResource[]): readonly DeclaredResource[] {
  const words = mailsOf({ hasTokens: declarations.some((one) => markOf(one)?.kind === 'one-time-token') })
  return declarations.map((declared) => {
    const { fields } = declared
    const mark = markOf(declared)
    if (mark?.kind !== 'outgoing-mail') return declared
    return {
      ...declared,
      fields: { ...fields, [mark.letter]: heldToWords(fields[mark.letter] as Field, words) },
    }
  })
}
