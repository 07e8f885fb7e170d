/** Who is logged in where. Deleting a session ends it: its access and refresh tokens stop working at once. */
import {
  currentSession,
  defineResource,
  derived,
  deviceName,
  either,
  endOtherSessions,
  id,
  owner,
  reference,
  role,
  text,
  timestamp,
} from 'bindery-server'

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
    device: derived(text({ description: 'What people call that device.', example: 'Firefox on Linux' }), (session) =>
      deviceName(session.userAgent),
    ),
    address: text({
      readOnly: true,
      maxLength: 100,
      description: 'The network address that it logged in from.',
      example: '203.0.113.7',
    }),
    place: text({ readOnly: true, maxLength: 100, description: 'Where that is, as the proxy says.', example: 'NL' }),
    current: currentSession(),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({
      readOnly: true,
      required: true,
      description: 'When it was last used, to the minute or so.',
    }),
    expiresAt: timestamp({ readOnly: true, required: true, description: 'When it ends, whatever happens.' }),
    factorAt: timestamp({ readOnly: true, hidden: true }),
  },
  identity: {
    kind: 'session',
    owner: 'userId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'userAgent',
    address: 'address',
    place: 'place',
    factorAt: 'factorAt',
  },
  list: { style: 'page', sortable: ['id', 'createdAt', 'lastUsedAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, delete: owned, endOthers: owned },
  actions: { endOthers: endOtherSessions },
})
