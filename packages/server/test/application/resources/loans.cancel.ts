/** Cancelling a loan returns the counted copies of its editions. */
import { defineAction } from 'bindery-server'
import { editions } from './editions.ts'
import { loanLines } from './loan-lines.ts'

export const takeBack = defineAction({
  summary: 'Cancel a loan; counted copies return.',
  async run({ record: loan, records }) {
    const lines = await records(loanLines).list({ loanId: loan.id as string })
    for (const line of lines.toSorted((a, b) => ((a.editionId ?? '') < (b.editionId ?? '') ? -1 : 1))) {
      if (line.editionId === null) continue // the edition was deleted, and its copies with it
      const edition = await records(editions).get(line.editionId)
      if (edition.copies !== null) await records(editions).update(edition.id, { copies: edition.copies + line.count })
    }
  },
})
