/** A member's one basket, created by its first read. Its sums are derived from its lines. */
import {
  anyOf,
  defineResource,
  derived,
  embedded,
  id,
  integer,
  money,
  owner,
  reference,
  role,
  text,
  timestamp,
} from 'bindery-server'
import { basketLines } from './basket-lines.ts'
import { editions } from './editions.ts'
import { loanLines } from './loan-lines.ts'
import { loans } from './loans.ts'

const owned = anyOf([owner('memberId'), role('ADMIN')])

const stored = {
  id: id(),
  memberId: reference('member', { setBy: 'parent', onDelete: 'delete' }),
  lines: embedded(basketLines, 'basketId'),
}

export const baskets = defineResource({
  name: 'basket',
  fields: {
    ...stored,
    worth: derived(money(), ({ lines }) => lines.reduce((sum, { lineWorth }) => sum + lineWorth, 0), {
      fields: stored,
    }),
    count: derived(integer(), ({ lines }) => lines.reduce((sum, { count }) => sum + count, 0), { fields: stored }),
    currency: derived(text(), (_basket, settings) => settings.currency),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  unique: [['memberId']],
  access: { get: owned, borrow: owned },
  children: { lines: { resource: 'basketLine', by: 'basketId' } },
  actions: {
    borrow: {
      summary: 'Make a loan of the basket.',
      returns: 'loan',
      creates: true,
      async run({ record: basket, records, settings, refuse }) {
        const lines = await records(basketLines).list({ basketId: basket.id })
        if (lines.length === 0) refuse('The basket is empty')

        const taken = []
        // In the order of edition ids, so that two of them cannot deadlock.
        for (const line of lines.toSorted((a, b) => (a.editionId < b.editionId ? -1 : 1))) {
          const edition = await records(editions).get(line.editionId)
          if (!edition.available) refuse(`${edition.title} is not available`)
          if (edition.copies !== null) {
            if (edition.copies < line.count) refuse(`Only ${edition.copies} of ${edition.title} available`)
            await records(editions).update(edition.id, { copies: edition.copies - line.count })
          }
          taken.push({ edition, count: line.count })
        }
        const loan = await records(loans).create({
          memberId: basket.memberId,
          currency: settings.currency,
          worth: taken.reduce((sum, { edition, count }) => sum + edition.price * count, 0),
          count: taken.reduce((sum, { count }) => sum + count, 0),
        })
        for (const { edition, count } of taken) {
          const line = { loanId: loan.id, editionId: edition.id, title: edition.title, price: edition.price, count }
          await records(loanLines).create(line)
        }
        await records(basketLines).deleteWhere({ basketId: basket.id })
        return loan.id
      },
    },
  },
})
