/**
 * The command line of an application whose declarations have few operations. Its users are those of
 * the guide to roles, and only the owner of a note may get it.
 */
import {
  accounts,
  anyone,
  apiKey,
  defineResource,
  defineResources,
  id,
  operator,
  owner,
  password,
  reference,
  role,
  roleField,
  runCommandLine,
  text,
  user,
} from '../../src/index.ts'

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'READER', write: role('LIBRARIAN') }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  access: { create: anyone, delete: operator },
})

const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    title: text({ required: true, unique: true }),
    checked: text({ read: apiKey(user), write: apiKey(user) }),
    ownerId: reference('user', { onDelete: 'delete', setBy: 'principal' }),
  },
  access: { get: owner('ownerId') },
})

const resources = defineResources([
  notes,
  ...accounts({ roles: ['READER', 'LIBRARIAN', 'CURATOR'], users, keys: true }),
])
await runCommandLine(async () => resources)
