/**
 * A minimal application with accounts: it declares its users in one line, and the engine adds the
 * rest.
 */
import {
  accounts,
  anyOf,
  anyone,
  defineResource,
  defineResources,
  id,
  operator,
  owner,
  password,
  roleField,
  text,
  user,
} from '../../src/index.ts'

const self = anyOf([owner('id'), operator])

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, create: anyone, get: self, update: self },
})

const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { list: user, create: user },
})

export const resources = defineResources([notes, ...accounts({ roles: ['USER', 'ADMIN'], users, keys: true })])
