/**
 * The table of the audit: each event of an account, its author, address and credential. The engine
 * writes it, and no caller changes it.
 */
import { auditEventNames } from '../../resource/accounts/audit-events.ts'
import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { choice } from '../../resource/fields/choice.ts'
import { id } from '../../resource/fields/id.ts'
import { textList } from '../../resource/fields/list.ts'
import { reference } from '../../resource/fields/reference.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'
import { operator } from '../../resource/rules/operator.ts'
import { owned } from '../owned.ts'

/**
 * `users`: the name of the resource of users. `operatorRole`: the role that operates the service.
 * `more`: events besides those of every application.
 */
export function auditTable<const N extends string>(users: N, operatorRole: string, more: readonly string[] = []) {
  const declared = defineResource({
    name: 'auditEvent',
    description: 'Something that happened to an account. No caller changes or deletes one.',
    path: '/audit-events',
    fields: {
      id: id(),
      at: timestamp({ setOn: 'create', description: 'When it happened.' }),
      event: choice([...auditEventNames, ...more], { required: true, readOnly: true, description: 'What happened.' }),
      userId: reference(users, { readOnly: true, onDelete: 'keep', description: 'The user of the account, if known.' }),
      actorId: reference(users, { readOnly: true, onDelete: 'keep', description: 'The user who did it, if one did.' }),
      credential: text({
        readOnly: true,
        maxLength: 100,
        description: 'By `session:ID`, `key:ID`, `console` or `service`; null for no credential.',
        example: 'session:0197a4c2-7f00-7000-8000-000000000001',
      }),
      address: text({ readOnly: true, maxLength: 100, description: 'From which address.', example: '203.0.113.7' }),
      userAgent: text({ readOnly: true, maxLength: 300, description: 'By which program.', example: 'curl/8.9.1' }),
      details: textList({
        readOnly: true,
        maxLength: 300,
        description: 'Further facts.',
        example: [`to=${operatorRole}`],
      }),
    },
    list: { style: 'cursor', filterable: ['event', 'userId', 'actorId', 'at'] },
    display: { title: 'event' },
    access: { list: operator, get: owned },
  })
  return engineTable(declared, {
    kind: 'audit',
    at: 'at',
    event: 'event',
    user: 'userId',
    actor: 'actorId',
    credential: 'credential',
    address: 'address',
    userAgent: 'userAgent',
    details: 'details',
  })
}
