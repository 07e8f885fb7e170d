/**
 * The table of log-ins by other issuers, and their users. Deleting one removes that way to log in;
 * the account stays.
 */

import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { id } from '../../resource/fields/id.ts'
import { reference } from '../../resource/fields/reference.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'
import { owned } from '../owned.ts'

/** `users`: the name of the resource of users. */
export function linkedAccountTable<const N extends string>(users: N) {
  const declared = defineResource({
    name: 'linkedAccount',
    description: 'A log-in by another issuer, such as Google. Deleting it takes that way in away.',
    path: '/linked-accounts',
    fields: {
      id: id(),
      userId: reference(users, { readOnly: true, onDelete: 'delete' }),
      issuer: text({
        readOnly: true,
        required: true,
        maxLength: 300,
        description: 'Who logs in.',
        example: 'https://accounts.google.com',
      }),
      subject: text({
        readOnly: true,
        required: true,
        maxLength: 255,
        description: 'The name of the person at the issuer.',
        example: '110169484474386276334',
      }),
      createdAt: timestamp({ setOn: 'create' }),
    },
    unique: [['issuer', 'subject']],
    list: { style: 'page', filterable: [] },
    access: { list: owned, get: owned, delete: owned },
  })
  const mark = { kind: 'linked-account', owner: 'userId', issuer: 'issuer', subject: 'subject' } as const
  return engineTable(declared, mark, { letsIn: true })
}
