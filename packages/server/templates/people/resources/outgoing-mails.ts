/** Mails that are still to be sent; each goes when it is. Their words and tokens are made then. The resource has no operations, so nobody sees it. */
import { defineResource, id, integer, reference, text, timestamp } from 'bindery-server'

export const outgoingMails = defineResource({
  name: 'outgoingMail',
  description: 'A mail that waits to be sent.',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'clear' }),
    letter: text({ readOnly: true, required: true, maxLength: 20 }),
    recipient: text({ readOnly: true, required: true }),
    detail: text({ readOnly: true }),
    languages: text({ readOnly: true, maxLength: 100 }),
    tries: integer({ readOnly: true, required: true }),
    dueAt: timestamp({ readOnly: true, required: true }),
  },
  identity: {
    kind: 'outgoing-mail',
    owner: 'userId',
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
