/**
 * The users who may log in. `identity` marks this as the resource whose records log in; the roles
 * are in `app.ts`.
 */
import {
  anyOf,
  anyone,
  defineResource,
  id,
  owner,
  password,
  role,
  roleField,
  text,
  timestamp,
  verifyAddress,
} from 'bindery-server'

const self = anyOf([owner('id'), role('ADMIN')])

export const users = defineResource({
  name: 'user',
  description: 'A person who may log in, with a role that says what else they may do.',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    name: text(),
    role: roleField({ default: 'USER', write: role('ADMIN') }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page', sortable: ['email', 'createdAt'], defaultSort: '-createdAt', search: ['email', 'name'] },
  access: { list: role('ADMIN'), create: anyone, get: self, update: self, delete: self, verify: owner('id') },
  actions: { verify: verifyAddress },
  messages: { conflict: 'email is already taken' },
  graphql: { query: { me: { operation: 'get', returns: 'self' } } },
})
