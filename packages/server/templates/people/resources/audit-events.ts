/** What happened to accounts: who, whose, from where, by which credential. The engine writes it, and nobody changes it. */
import {
  auditEventNames,
  choice,
  defineResource,
  either,
  id,
  operator,
  owner,
  reference,
  text,
  textList,
  timestamp,
} from 'bindery-server'

export const auditEvents = defineResource({
  name: 'auditEvent',
  description: 'Something that happened to an account. Nobody changes or deletes one.',
  path: '/audit-events',
  fields: {
    id: id(),
    at: timestamp({ setOn: 'create' }),
    event: choice(auditEventNames, { required: true, readOnly: true }),
    userId: reference('user', { readOnly: true, onDelete: 'keep' }),
    actorId: reference('user', { readOnly: true, onDelete: 'keep' }),
    credential: text({ readOnly: true, maxLength: 100 }),
    address: text({ readOnly: true, maxLength: 100 }),
    userAgent: text({ readOnly: true, maxLength: 300 }),
    details: textList({ readOnly: true, maxLength: 300 }),
  },
  identity: {
    kind: 'audit',
    at: 'at',
    event: 'event',
    user: 'userId',
    actor: 'actorId',
    credential: 'credential',
    address: 'address',
    userAgent: 'userAgent',
    details: 'details',
  },
  list: { style: 'cursor', filterable: ['event', 'userId', 'actorId', 'at'] },
  access: { list: operator, get: either([owner('userId'), operator]) },
})
