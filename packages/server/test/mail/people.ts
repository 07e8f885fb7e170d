/** People with all that mails need, and a place to see what waits. */
import { defineResource, hash, id, integer, reference, text, timestamp } from '../../src/index.ts'
import { members, people } from '../service/people.ts'

export const links = defineResource({
  name: 'link',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'delete' }),
    purpose: text({ readOnly: true, required: true }),
    hash: hash(),
    address: text({ readOnly: true }),
    endsAt: timestamp({ readOnly: true, required: true }),
  },
  identity: {
    kind: 'one-time-token',
    owner: 'memberId',
    purpose: 'purpose',
    hash: 'hash',
    address: 'address',
    expiresAt: 'endsAt',
  },
  access: {},
})

export const notices = defineResource({
  name: 'notice',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'clear' }),
    letter: text({ readOnly: true, required: true }),
    recipient: text({ readOnly: true, required: true }),
    detail: text({ readOnly: true }),
    languages: text({ readOnly: true, maxLength: 100 }),
    tries: integer({ readOnly: true, required: true }),
    dueAt: timestamp({ readOnly: true, required: true }),
  },
  identity: {
    kind: 'outgoing-mail',
    owner: 'memberId',
    letter: 'letter',
    recipient: 'recipient',
    detail: 'detail',
    languages: 'languages',
    tries: 'tries',
    dueAt: 'dueAt',
  },
  list: { style: 'page', sortable: ['dueAt'], defaultSort: 'dueAt' },
  access: {},
})

export const withMails = [...people, links, notices] as const
export { members }
