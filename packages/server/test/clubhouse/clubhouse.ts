/**
 * An application with tenants: clubs with their members, teams with theirs, events and who attends
 * them. A club's page is public.
 */
import {
  accounts,
  allOf,
  anyOf,
  autoNumber,
  boolean,
  choice,
  defineResource,
  defineResources,
  defineTenancy,
  id,
  manyToMany,
  member,
  now,
  operator,
  owner,
  password,
  reference,
  role,
  roleField,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'

const self = anyOf([owner('id'), operator])

export const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
    homeClub: text({ maxLength: 100 }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, create: operator, get: self, update: self, delete: self },
})

export const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true, unique: true, maxLength: 100 }) },
  list: { style: 'page', sortable: ['name'], search: ['name'] },
  upsert: ['name'],
  access: { read: user, create: user, import: user, write: member('OWNER') },
  children: { memberships: { resource: 'membership', by: 'clubId' }, events: { resource: 'event', by: 'clubId' } },
})

export const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
    state: choice(['ACTIVE', 'PAUSED'], { default: 'ACTIVE' }),
  },
  list: { style: 'page', filterable: ['userId', 'role'] },
  access: {
    read: member(),
    write: member('COACH'),
    import: member('COACH'),
    export: member('COACH'),
    delete: anyOf([member('COACH'), owner('userId')]),
  },
})

export const teams = defineResource({
  name: 'team',
  path: '/teams',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    name: text({ required: true, maxLength: 100 }),
  },
  unique: [['name']],
  list: { style: 'page', sortable: ['name'] },
  access: { read: member(), create: member('COACH'), update: member('COACH', { of: 'team' }), delete: member('COACH') },
})

export const teamMembers = defineResource({
  name: 'teamMember',
  path: '/team-members',
  fields: {
    id: id(),
    teamId: reference('team', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
  },
  list: { style: 'page' },
  access: { read: member(), write: anyOf([member('COACH'), member('COACH', { of: 'team' })]) },
})

export const events = defineResource({
  name: 'event',
  path: '/events',
  tenant: 'clubId',
  history: { keep: 20, days: 365 },
  trash: { days: 30 },
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    teamId: reference('team', { onDelete: 'clear' }),
    no: autoNumber({ prefix: 'E-', per: ['tenant', 'year'], digits: 3 }),
    title: text({ required: true, maxLength: 200 }),
    state: choice(['DRAFT', 'PUBLISHED'], { default: 'DRAFT' }),
    startsAt: timestamp(),
    endsAt: timestamp(),
    helpers: manyToMany('teamMember'),
  },
  list: {
    style: 'page',
    sortable: ['title', 'startsAt', 'no'],
    filterable: ['title', 'state', 'teamId', 'no', 'helpers'],
    search: ['title'],
  },
  access: {
    read: anyOf([member('COACH'), allOf([member(), where({ state: 'PUBLISHED' })])]),
    write: member('COACH'),
    forbid: { write: where({ endsAt: { lt: now() } }) },
  },
})

export const attendances = defineResource({
  name: 'attendance',
  path: '/attendances',
  tenant: 'eventId',
  fields: {
    id: id(),
    eventId: reference('event', { required: true, onDelete: 'delete' }),
    userId: reference('user', { setBy: 'principal' }),
    isComing: boolean({ default: true }),
  },
  list: { style: 'page' },
  access: {
    read: member(),
    create: member(),
    update: owner('userId'),
    delete: anyOf([owner('userId'), member('COACH')]),
  },
})

const membersOf = { user: 'userId', role: 'role' } as const

export const tenancy = defineTenancy('club', {
  members: 'membership',
  ...membersOf,
  roles: ['PLAYER', 'COACH', 'OWNER'],
  status: 'state',
  activeStatus: 'ACTIVE',
  operator: role('SUPPORT'),
  invitations: member('COACH'),
  groups: { team: { members: 'teamMember', ...membersOf, roles: ['PLAYER', 'COACH'] } },
})

export const people = accounts({ roles: ['USER', 'SUPPORT', 'ADMIN'], operator: 'ADMIN', users, keys: true })

export const clubhouse = defineResources([
  clubs,
  memberships,
  teams,
  teamMembers,
  events,
  attendances,
  tenancy,
  ...people,
])
