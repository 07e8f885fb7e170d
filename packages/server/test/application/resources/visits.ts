/** Sessions: who is logged in, and where. */
import { defineResource, either, id, owner, reference, role, text, timestamp } from 'bindery-server'

const owned = either([owner('memberId'), role('ADMIN')])

export const visits = defineResource({
  name: 'visit',
  path: '/visits',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'delete' }),
    browser: text({ readOnly: true, maxLength: 300 }),
    address: text({ readOnly: true, maxLength: 100 }),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({ readOnly: true, required: true }),
    expiresAt: timestamp({ readOnly: true, required: true }),
    factorAt: timestamp({ readOnly: true, hidden: true }),
  },
  identity: {
    kind: 'session',
    owner: 'memberId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'browser',
    address: 'address',
    factorAt: 'factorAt',
  },
  list: { style: 'page', sortable: ['id', 'createdAt', 'lastUsedAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, delete: owned },
})
