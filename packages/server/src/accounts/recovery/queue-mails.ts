/**
 * Write steps after a change of a user. Tokens depend on the log-in name, the password and the
 * status, so they end when one of these changes. A mail to the previous address reports a new name
 * or a new password.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import { mailsWithLink } from '../../resource/accounts/mail-names.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { listKeys, usableKeys } from '../keys/key-list.ts'
import { queueOwnerMail, unproven, withdrawLinks } from './owner-mails.ts'

/**
 * Everything that could still become a proof: tokens that were sent, and mails that would bring a
 * new one.
 */
async function endTokens(tx: RecordTransaction, owner: Scalar): Promise<void> {
  const { oneTimeToken, outgoingMail } = tx.catalog
  if (!oneTimeToken) return
  const isNote = { kind: 'compare', field: oneTimeToken.mark.purpose, operator: 'ne', value: unproven } as const
  await tx.removeWhere(oneTimeToken.resource, all(equal(oneTimeToken.mark.owner, owner), isNote))
  if (!outgoingMail) return
  await withdrawLinks(tx, owner)
  // Those that an instance of an earlier version has left as records
  const { resource, mark } = outgoingMail
  const hasLink = { kind: 'in', field: mark.letter, values: mailsWithLink } as const
  await tx.removeWhere(resource, all(equal(mark.owner, owner), hasLink))
}

/** The keys that remain after a new password: the owner may want to know them. */
async function keysLeft(tx: RecordTransaction, owner: Scalar): Promise<string> {
  const { apiKey } = tx.catalog
  const keys = await usableKeys(tx, tx.catalog, { owner, now: tx.defaults.now })
  return keys && apiKey ? listKeys(apiKey.mark, keys) : '0'
}

export function queueAccountMails({ resource, mark }: MarkedTable<LoginMark>): WriteStep {
  return {
    name: 'letters to the owner',
    resources: [resource],
    fields: [mark.login, mark.secret, ...(mark.status === undefined ? [] : [mark.status])],
    async afterUpdate({ tx, before, row }) {
      const differs = (name: string | undefined) => name !== undefined && before[name] !== row[name]
      const owner = row[resource.idField] as Scalar
      const isKnownElsewhere = differs(mark.login)
      const hasNewSecret = differs(mark.secret)
      if (isKnownElsewhere || hasNewSecret || differs(mark.status)) await endTokens(tx, owner)
      const told = { recipient: before[mark.login] as string, owner, languages: tx.author.languages }
      if (isKnownElsewhere)
        await queueOwnerMail(tx, { ...told, letter: 'address-changed', detail: row[mark.login] as string })
      if (hasNewSecret && tx.catalog.outgoingMail)
        await queueOwnerMail(tx, { ...told, letter: 'password-changed', detail: await keysLeft(tx, owner) })
    },
  }
}
