/** Resources that these tests declare themselves: people who log in, with all identity resources or some of them, and notes that anyone reads. */
import {
  anyone,
  auditEventNames,
  boolean,
  choice,
  defineResource,
  hash,
  id,
  password,
  reference,
  role,
  text,
  textList,
  timestamp,
  token,
  user,
} from '../../src/index.ts'

export const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), title: text({ required: true }), published: boolean({ default: true }) },
  list: { style: 'page', sortable: ['title'] },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

export const members = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: choice(['USER', 'EDITOR', 'ADMIN'], { default: 'USER', write: role('ADMIN') }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: role('ADMIN'), get: user, create: anyone },
  graphql: { query: { me: { operation: 'get', returns: 'self' } } },
})

export const visits = defineResource({
  name: 'visit',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'delete' }),
    userAgent: text({ readOnly: true, maxLength: 300 }),
    address: text({ readOnly: true, maxLength: 100 }),
    lastUsedAt: timestamp({ readOnly: true, required: true }),
    expiresAt: timestamp({ readOnly: true, required: true }),
  },
  identity: {
    kind: 'session',
    owner: 'memberId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'userAgent',
    address: 'address',
  },
  access: {},
})

export const tickets = defineResource({
  name: 'ticket',
  fields: {
    id: id(),
    visitId: reference('visit', { readOnly: true, onDelete: 'delete' }),
    hash: hash(),
    usedAt: timestamp({ readOnly: true }),
  },
  identity: { kind: 'refresh-token', session: 'visitId', hash: 'hash', usedAt: 'usedAt' },
  access: {},
})

export const keys = defineResource({
  name: 'key',
  path: '/keys',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true }),
    key: token({ prefix: 'mk_' }),
    scopes: textList({ default: null }),
    active: boolean({ default: true }),
    expiresAt: timestamp(),
    lastUsedAt: timestamp({ readOnly: true }),
  },
  identity: {
    kind: 'api-key',
    owner: 'memberId',
    token: 'key',
    scopes: 'scopes',
    active: 'active',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
  },
  access: { create: user },
})

export const people = [members, visits, tickets] as const

export const traces = defineResource({
  name: 'trace',
  path: '/traces',
  fields: {
    id: id(),
    at: timestamp({ setOn: 'create' }),
    event: choice(auditEventNames, { required: true, readOnly: true }),
    whoseId: reference('member', { readOnly: true, onDelete: 'keep' }),
    whoId: reference('member', { readOnly: true, onDelete: 'keep' }),
    credential: text({ readOnly: true }),
    address: text({ readOnly: true, maxLength: 20 }),
    program: text({ readOnly: true, maxLength: 20 }),
    details: textList({ readOnly: true, maxLength: 40 }),
  },
  identity: {
    kind: 'audit',
    at: 'at',
    event: 'event',
    user: 'whoseId',
    actor: 'whoId',
    credential: 'credential',
    address: 'address',
    userAgent: 'program',
    details: 'details',
  },
  list: { style: 'cursor' },
  access: { list: role('ADMIN') },
})
