/** Who is logged in where. Deleting a session ends it: its access and refresh tokens stop working at once. */
import { defineResource, either, id, owner, reference, role, text, timestamp } from 'bindery-server'

const owned = either([owner('userId'), role('ADMIN')])

export const sessions = defineResource({
  name: 'session',
  description: 'A log-in on one device. Deleting it ends it: its tokens stop working at once.',
  path: '/sessions',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    userAgent: text({
      readOnly: true,
      maxLength: 300,
      description: 'The program that logged in, as it calls itself.',
      example: 'curl/8.9.1',
    }),
    address: text({
      readOnly: true,
      maxLength: 100,
      description: 'The network address that it logged in from.',
      example: '203.0.113.7',
    }),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({
      readOnly: true,
      required: true,
      description: 'When it was last used, to the minute or so.',
    }),
    expiresAt: timestamp({ readOnly: true, required: true, description: 'When it ends, whatever happens.' }),
  },
  identity: {
    kind: 'session',
    owner: 'userId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'userAgent',
    address: 'address',
  },
  list: { style: 'page', sortable: ['id', 'createdAt', 'lastUsedAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, delete: owned },
})
