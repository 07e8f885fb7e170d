/**
 * After a user was changed: tokens rest on the name to log in with, the password and the status, so
 * they end with each. The address that mails went to until now is told of a new name and a new
 * password.
 */
import type { Writing } from '../../record/records.ts'
import type { Step } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import { lettersWithLink } from '../../resource/accounts/letter-names.ts'
import type { Marked } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { shownKeys, workingKeys } from '../keys/key-list.ts'
import { leaveLetter, takeLinksBack, unproven } from './owner-letters.ts'

/**
 * Everything that could still become a proof: tokens that were sent, and mails that would bring a
 * new one.
 */
async function endTokens(writing: Writing, owner: Scalar): Promise<void> {
  const { oneTimeToken, outgoingMail } = writing.catalog
  if (!oneTimeToken) return
  const isNote = { kind: 'compare', field: oneTimeToken.mark.purpose, operator: 'ne', value: unproven } as const
  await writing.removeWhere(oneTimeToken.resource, all(equal(oneTimeToken.mark.owner, owner), isNote))
  if (!outgoingMail) return
  await takeLinksBack(writing, owner)
  // Those that an instance of an earlier version has left as records
  const { resource, mark } = outgoingMail
  const hasLink = { kind: 'in', field: mark.letter, values: lettersWithLink } as const
  await writing.removeWhere(resource, all(equal(mark.owner, owner), hasLink))
}

/** The keys that a new password leaves, for an owner who wonders which programs have them. */
async function keysLeft(writing: Writing, owner: Scalar): Promise<string> {
  const { apiKey } = writing.catalog
  const keys = await workingKeys(writing, writing.catalog, { owner, now: writing.defaults.now })
  return keys && apiKey ? shownKeys(apiKey.mark, keys) : '0'
}

export function sendLetters({ resource, mark }: Marked<LoginMark>): Step {
  return {
    name: 'letters to the owner',
    resources: [resource],
    fields: [mark.login, mark.secret, ...(mark.status === undefined ? [] : [mark.status])],
    async afterUpdate({ writing, before, row }) {
      const differs = (name: string | undefined) => name !== undefined && before[name] !== row[name]
      const owner = row[resource.idField] as Scalar
      const isKnownElsewhere = differs(mark.login)
      const hasNewSecret = differs(mark.secret)
      if (isKnownElsewhere || hasNewSecret || differs(mark.status)) await endTokens(writing, owner)
      const told = { recipient: before[mark.login] as string, owner, languages: writing.author.languages }
      if (isKnownElsewhere)
        await leaveLetter(writing, { ...told, letter: 'address-changed', detail: row[mark.login] as string })
      if (hasNewSecret && writing.catalog.outgoingMail)
        await leaveLetter(writing, { ...told, letter: 'password-changed', detail: await keysLeft(writing, owner) })
    },
  }
}
