/**
 * Loans, created by borrowing, moved from state to state, and extended by an action that takes
 * input.
 */
import {
  anyOf,
  choice,
  defineAction,
  defineResource,
  embedded,
  id,
  integer,
  money,
  owner,
  reference,
  role,
  state,
  text,
  timestamp,
} from 'bindery-server'
import { editions } from './editions.ts'
import { loanLines } from './loan-lines.ts'

const visible = anyOf([owner('memberId'), role('EDITOR')])
const weeksMax = 12

const fields = {
  id: id(),
  memberId: reference('member', { readOnly: true, onDelete: 'clear' }),
  status: state(['ASKED', 'READY', 'LENT', 'RETURNED', 'CANCELLED'], {
    default: 'ASKED',
    readOnly: true,
    transitions: {
      prepare: { from: ['ASKED'], to: 'READY' },
      lend: { from: ['READY'], to: 'LENT' },
      return: { from: ['LENT'], to: 'RETURNED' },
      cancel: { from: ['ASKED', 'READY'], to: 'CANCELLED', stamp: 'cancelledAt' },
    },
  }),
  weeks: integer({ default: 3, readOnly: true }),
  currency: text({ required: true, readOnly: true, maxLength: 3 }),
  lines: embedded('loanLine', 'loanId'),
  worth: money({ required: true, readOnly: true }),
  count: integer({ required: true, readOnly: true }),
  askedAt: timestamp({ setOn: 'create' }),
  cancelledAt: timestamp({ setOn: 'transition' }),
  updatedAt: timestamp({ setOn: 'write' }),
}

const extend = defineAction(fields, {
  summary: 'Keep the loan for longer.',
  input: {
    weeks: integer({ required: true, min: 1, max: weeksMax }),
    why: choice(['SLOW', 'ILL'], { default: 'SLOW' }),
  },
  async run({ record: loan, input, records, refuse }) {
    const weeks = loan.weeks + input.weeks
    if (weeks > weeksMax) refuse(`No loan is longer than ${weeksMax} weeks`)
    await records(loans).update(loan.id, { weeks })
  },
})

export const loans = defineResource({
  name: 'loan',
  path: '/loans',
  fields,
  list: {
    style: 'page',
    sortable: ['id', 'status', 'worth', 'count', 'askedAt', 'updatedAt'],
    defaultSort: '-askedAt',
  },
  access: {
    list: role('EDITOR'),
    get: visible,
    prepare: role('EDITOR'),
    lend: role('EDITOR'),
    return: role('EDITOR'),
    cancel: anyOf([owner('memberId'), role('ADMIN')]),
    extend: anyOf([owner('memberId'), role('ADMIN')]),
  },
  actions: {
    cancel: {
      summary: 'Cancel a loan; counted copies return.',
      async run({ record: loan, records }) {
        const lines = await records(loanLines).list({ loanId: loan.id })
        for (const line of lines.toSorted((a, b) => ((a.editionId ?? '') < (b.editionId ?? '') ? -1 : 1))) {
          if (line.editionId === null) continue // the edition was deleted, and its copies with it
          const edition = await records(editions).get(line.editionId)
          if (edition.copies !== null)
            await records(editions).update(edition.id, { copies: edition.copies + line.count })
        }
      },
    },
    extend,
  },
  children: { lines: { resource: 'loanLine', by: 'loanId', operations: ['list', 'get'] } },
})
