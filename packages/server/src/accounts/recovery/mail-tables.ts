/**
 * The tables of queued mails, and of the tokens in mails, as hashes. They have no operations, so no
 * caller sees them. The server makes the words of a mail and its token when it sends the mail.
 */

import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { id } from '../../resource/fields/id.ts'
import { integer } from '../../resource/fields/numbers/integer.ts'
import { reference } from '../../resource/fields/reference.ts'
import { hash } from '../../resource/fields/secret.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'

/**
 * `users`: the name of the resource of users. Each token is good for one purpose, once, for half an
 * hour.
 */
export function oneTimeTokenTable<const N extends string>(users: N) {
  const declared = defineResource({
    name: 'oneTimeToken',
    description: 'The proof in a link of a mail: good once, for a short time.',
    fields: {
      id: id(),
      userId: reference(users, { readOnly: true, onDelete: 'delete' }),
      purpose: text({ readOnly: true, required: true, maxLength: 20 }),
      hash: hash(),
      address: text({ readOnly: true }),
      expiresAt: timestamp({ readOnly: true, required: true }),
    },
    access: {},
  })
  return engineTable(declared, {
    kind: 'one-time-token',
    owner: 'userId',
    purpose: 'purpose',
    hash: 'hash',
    address: 'address',
    expiresAt: 'expiresAt',
  })
}

/** `users`: the name of the resource of users. A mail goes from the table when it is sent. */
export function outgoingMailTable<const N extends string>(users: N) {
  const declared = defineResource({
    name: 'outgoingMail',
    description: 'A mail that waits to be sent.',
    fields: {
      id: id(),
      userId: reference(users, { readOnly: true, onDelete: 'clear' }),
      letter: text({ readOnly: true, required: true, maxLength: 20 }),
      recipient: text({ readOnly: true, required: true }),
      detail: text({ readOnly: true }),
      languages: text({ readOnly: true, maxLength: 100 }),
      tries: integer({ readOnly: true, required: true }),
      dueAt: timestamp({ readOnly: true, required: true }),
    },
    list: { style: 'page', sortable: ['dueAt'], defaultSort: 'dueAt' },
    access: {},
  })
  return engineTable(declared, {
    kind: 'outgoing-mail',
    owner: 'userId',
    letter: 'letter',
    recipient: 'recipient',
    detail: 'detail',
    languages: 'languages',
    tries: 'tries',
    dueAt: 'dueAt',
  })
}
