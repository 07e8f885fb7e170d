/**
 * Resources for these tests: users who log in, with all or some of the identity resources, and
 * notes that anyone reads.
 */
import {
  accounts,
  anyone,
  boolean,
  defineResource,
  id,
  password,
  role,
  roleField,
  text,
  timestamp,
  user,
} from '../../src/index.ts'

export const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), title: text({ required: true }), published: boolean({ default: true }) },
  list: { style: 'page', sortable: ['title'] },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

const users = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: role('ADMIN') }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: role('ADMIN'), get: user, create: anyone },
  graphql: { query: { me: { operation: 'get', returns: 'self' } } },
})

export const accountsOfMembers = accounts({
  roles: ['USER', 'EDITOR', 'ADMIN'],
  users,
  sessions: { name: 'visit', path: '/visits' },
  keys: { name: 'key', path: '/keys', prefix: 'mk_' },
  audit: { name: 'trace', path: '/traces' },
  linkedAccounts: { name: 'link', path: '/links' },
})
/** Lists of these tests have some of the tables alone. */
export const {
  users: members,
  sessions: visits,
  refreshTokens: tickets,
  apiKeys: keys,
  auditEvents: traces,
  linkedAccounts: links,
  oneTimeTokens,
  outgoingMails,
} = accountsOfMembers

export const people = [members, visits, tickets] as const
