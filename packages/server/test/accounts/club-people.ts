/**
 * An application whose roles are sets of abilities without an order. A secretary looks after the
 * accounts of some roles, and the board operates it.
 */
import {
  ability,
  accounts,
  anyOf,
  anyone,
  apiKey,
  choice,
  defineResource,
  defineResources,
  id,
  integer,
  operator,
  owner,
  password,
  role,
  roleField,
  text,
  user,
} from '../../src/index.ts'

const self = anyOf([owner('id'), ability('members:write')])

const users = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'GUEST', write: ability('members:write') }),
    status: choice(['ACTIVE', 'SUSPENDED'], { default: 'ACTIVE', write: ability('members:write') }),
  },
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ACTIVE',
  },
  list: { style: 'page', filterable: ['role'] },
  upsert: ['email'],
  access: {
    list: ability('members:write'),
    create: anyone,
    get: self,
    update: self,
    replace: self,
    delete: self,
    import: ability('members:write'),
  },
  graphql: { query: { me: { operation: 'get', returns: 'self' } } },
})

const fees = defineResource({
  name: 'fee',
  path: '/fees',
  fields: {
    id: id(),
    payerId: text({ required: true }),
    cents: integer({ required: true }),
    reminder: text({ read: ability('fees:write'), write: ability('fees:write') }),
  },
  list: { style: 'page' },
  access: {
    list: ability('fees:read'),
    get: ability('fees:read'),
    create: ability('fees:write'),
    update: ability('fees:write'),
  },
})

const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: {
    list: anyone,
    get: user,
    create: role('COACH'),
    update: anyOf([role('TREASURER'), role('COACH')]),
    delete: operator,
    import: apiKey(ability('teams:write')),
  },
})

export const abilities = {
  GUEST: [],
  AUDITOR: ['fees:read'],
  TREASURER: ['fees:read', 'fees:write'],
  COACH: ['fees:read', 'teams:write'],
  SECRETARY: ['fees:read', 'members:write'],
  BOARD: ['fees:read', 'fees:write', 'teams:write', 'members:write', 'letters:send'],
} as const

export const club = defineResources([
  fees,
  teams,
  ...accounts({ roles: abilities, operator: 'BOARD', users, keys: true, recovery: false }),
])
