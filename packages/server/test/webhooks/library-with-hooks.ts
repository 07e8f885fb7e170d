/**
 * An application with webhooks: books that everyone reads, notes that their owner reads, and a
 * single notice.
 */
import {
  accounts,
  anyone,
  choice,
  defineResource,
  defineResources,
  defineSettings,
  id,
  integer,
  operator,
  owner,
  password,
  reference,
  roleField,
  text,
  user,
  type WebhookEndpointDeclaration,
  webhooks,
} from '../../src/index.ts'

export const books = defineResource({
  name: 'book',
  path: '/books',
  fields: { id: id(), title: text({ required: true }), stock: integer({ default: 0 }) },
  list: { style: 'page', sortable: ['title'], defaultSort: 'title', filterable: ['stock'] },
  access: { list: user, get: user, create: user, update: user, delete: user },
  changes: true,
})
export const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), text: text({ required: true }), userId: reference('user', { setBy: 'principal' }) },
  list: { style: 'page', sortable: ['text'], defaultSort: 'text' },
  access: {
    list: owner('userId'),
    get: owner('userId'),
    create: user,
    update: owner('userId'),
    delete: owner('userId'),
  },
  changes: true,
})

const notice = defineResource({
  name: 'notice',
  path: '/notice',
  single: true,
  fields: { id: id(), text: text() },
  access: { read: user, update: user },
  changes: true,
})

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
    status: choice(['ACTIVE', 'BLOCKED'], { default: 'ACTIVE', write: operator }),
  },
  identity: {
    ...{ kind: 'login', login: 'email', secret: 'password', role: 'role' },
    ...{ status: 'status', activeStatus: 'ACTIVE' },
  },
  list: { style: 'page' },
  access: { list: operator, create: anyone, get: operator, delete: operator, update: operator },
})

/** Of endpoints that the application declares. */
export const hookSettings = defineSettings({
  fields: { warehouseUrl: text(), warehouseSecret: text() },
  secret: ['warehouseSecret'],
})

/** `waits`: seconds, short for tests. */
export function library({
  waits = [0.02, 0.05, 0.1],
  timeoutSeconds = 1,
  endpoints = {},
}: {
  waits?: readonly number[]
  timeoutSeconds?: number
  endpoints?: Readonly<Record<string, WebhookEndpointDeclaration>>
} = {}) {
  return defineResources([
    hookSettings,
    books,
    notes,
    notice,
    ...accounts({ roles: ['USER', 'ADMIN'], users, keys: true }),
    ...webhooks({ users: 'user', create: user, waits, timeoutSeconds, endpoints }),
  ])
}
