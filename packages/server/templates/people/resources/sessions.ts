/** Who is logged in where. Deleting a session ends it: its access and refresh tokens stop working at once. */
import {
  currentSession,
  defineResource,
  derived,
  deviceName,
  either,
  endOtherSessions,
  id,
  operator,
  owner,
  reference,
  text,
  timestamp,
} from 'bindery-server'

const owned = either([owner('userId'), operator])

export const sessions = defineResource({
  name: 'session',
  description: 'A log-in on one device. Deleting it ends it: its tokens stop working at once.',
  path: '/sessions',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    userAgent: text({ readOnly: true, maxLength: 300 }),
    device: derived(text(), (session) => deviceName(session.userAgent)),
    current: currentSession(),
    address: text({ readOnly: true, maxLength: 100 }),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({ readOnly: true, required: true }),
    expiresAt: timestamp({ readOnly: true, required: true }),
    factorAt: timestamp({ readOnly: true, hidden: true }),
  },
  identity: {
    kind: 'session',
    owner: 'userId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'userAgent',
    address: 'address',
    factorAt: 'factorAt',
  },
  list: { style: 'page', sortable: ['id', 'createdAt', 'lastUsedAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, delete: owned, endOthers: owned },
  actions: { endOthers: endOtherSessions },
})
