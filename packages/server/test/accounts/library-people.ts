/**
 * An application with roles of its own: readers, librarians between two other roles, curators who
 * operate it, and shelves.
 */
import {
  accounts,
  anyOf,
  anyone,
  apiKey,
  choice,
  defineResource,
  defineResources,
  id,
  operator,
  owner,
  password,
  role,
  roleField,
  text,
  user,
} from '../../src/index.ts'

const self = anyOf([owner('id'), role('LIBRARIAN')])

export const users = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    // Librarians look after the accounts of readers.
    role: roleField({ default: 'READER', write: role('LIBRARIAN') }),
    status: choice(['ACTIVE', 'SUSPENDED'], { default: 'ACTIVE', write: role('LIBRARIAN') }),
  },
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ACTIVE',
  },
  list: { style: 'page' },
  upsert: ['email'],
  access: {
    list: role('LIBRARIAN'),
    create: anyone,
    get: self,
    update: self,
    replace: self,
    delete: self,
    import: role('LIBRARIAN'),
  },
  graphql: { query: { me: { operation: 'get', returns: 'self' } } },
})

export const shelves = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  fields: { id: id(), name: text({ required: true }), note: text({ read: role('LIBRARIAN') }) },
  list: { style: 'page' },
  access: {
    list: anyone,
    get: anyone,
    create: role('LIBRARIAN'),
    update: user,
    delete: operator,
    import: apiKey(role('LIBRARIAN')),
  },
})

export const roles = ['READER', 'LIBRARIAN', 'CURATOR'] as const
export const people = accounts({
  roles,
  users,
  sessions: { name: 'visit', path: '/visits' },
  keys: { name: 'key', path: '/keys', prefix: 'lib_' },
  audit: false,
  factors: false,
  linkedAccounts: false,
  recovery: false,
})
export const library = defineResources([shelves, ...people])
