/**
 * A write step that refuses a queued mail without the data that its letter needs. Such a mail could
 * never be sent, and its sender would not learn of that.
 */
import type { WriteStep } from '../../record/stages.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import { partsNeededBy } from '../../resource/accounts/mail-names.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { isBlank } from '../../resource/fields/text.ts'
import { consoleCredential } from '../../storage/changes.ts'

/**
 * Refuses with `bad-request` naming the field. An import at the console is not asked: it may hold
 * mails whose users have gone since, and these are dropped when their turn comes.
 */
export function completeMails({ resource, mark }: MarkedTable<OutgoingMailMark>): WriteStep {
  const fields = [mark.letter, mark.owner, mark.detail]
  return {
    name: 'complete letters',
    resources: [resource],
    fields,
    settled({ tx, before, row }) {
      if (tx.author.credential === consoleCredential) return
      if (before && fields.every((name) => before[name] === row[name])) return
      const missing = partsNeededBy(row[mark.letter]).find(
        (part) => row[mark[part]] === null || isBlank(row[mark[part]]),
      )
      if (missing) throw fieldError(mark[missing], `is required: the letter ${row[mark.letter]} needs it`)
    },
  }
}
