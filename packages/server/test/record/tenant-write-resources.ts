/** Resources of a tenant that every path of a write can reach, with each limit of its writes. */
import {
  accounts,
  anyOf,
  boolean,
  defineAction,
  defineResource,
  defineTenancy,
  id,
  integer,
  member,
  password,
  reference,
  role,
  roleField,
  state,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: role('ADMIN') }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: role('ADMIN'), get: user },
})

const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { read: member(), create: user, write: member('OWNER') },
})

const ofClub = () => reference('club', { required: true, onDelete: 'delete', keepOnReplace: true })
/** Operators above tenants do all that members do, and each of their writes is audited. */
const read = anyOf([member(), role('SUPPORT')])
const all = anyOf([member('OWNER'), role('SUPPORT')])
const writes = { create: all, replace: all, update: all, delete: all, import: all } as const

/** Removing it removes what is in it. */
const chests = defineResource({
  name: 'chest',
  path: '/chests',
  tenant: 'clubId',
  fields: { id: id(), clubId: ofClub(), room: text({ default: 'A' }), name: text() },
  list: { style: 'page' },
  access: { read, ...writes },
  children: { lid: { resource: 'lid', by: 'chestId', single: true } },
})

/** Removing it leaves what it has made. */
const makers = defineResource({
  name: 'maker',
  path: '/makers',
  tenant: 'clubId',
  fields: { id: id(), clubId: ofClub() },
  list: { style: 'page' },
  access: { read, ...writes },
})

const locked = where({ isLocked: true })

const slotFields = {
  id: id(),
  clubId: ofClub(),
  code: text({ required: true, unique: true }),
  size: integer({ default: 1 }),
  room: text({ default: 'A', keepOnReplace: true }),
  isLocked: boolean({ default: false, keepOnReplace: true }),
  chestId: reference('chest', { onDelete: { deleteWhere: { isLocked: false } }, match: 'room', keepOnReplace: true }),
  makerId: reference('maker', { onDelete: 'clear', keepOnReplace: true }),
  state: state(['OPEN', 'SHUT'], {
    default: 'OPEN',
    readOnly: true,
    transitions: { bar: { from: ['OPEN'], to: 'SHUT' } },
  }),
}

const slots = defineResource({
  name: 'slot',
  path: '/slots',
  tenant: 'clubId',
  fields: slotFields,
  checks: {
    fits: { require: { size: { ne: 15 } }, at: 'size', message: 'A size of 15 does not fit' },
    staysOpen: {
      require: anyOf([where({ size: { ne: 16 } }), where({ state: 'OPEN' })]),
      at: 'state',
      message: 'A size of 16 stays open',
    },
    isMade: {
      require: anyOf([where({ size: { ne: 17 } }), where({ makerId: { null: false } })]),
      at: 'makerId',
      message: 'A size of 17 keeps its maker',
    },
  },
  upsert: ['code'],
  list: { style: 'page', bulk: true, filterable: ['code'] },
  access: {
    read,
    ...writes,
    bar: all,
    rework: all,
    forbid: { write: locked, import: locked, bar: locked, rework: locked },
  },
  actions: {
    rework: defineAction(slotFields, {
      input: { json: text({ required: true }) },
      async run({ record, input, records }) {
        await records(slots).update(record.id, JSON.parse(input.json))
      },
    }),
  },
})

const lids = defineResource({
  name: 'lid',
  tenant: 'chestId',
  fields: {
    id: id(),
    size: integer({ default: 1 }),
    isLocked: boolean({ default: false }),
    chestId: reference('chest', { setBy: 'parent', onDelete: 'delete', required: true }),
  },
  unique: [['chestId']],
  checks: {
    fits: { require: { size: { ne: 15 } }, at: 'size', message: 'A size of 15 does not fit' },
    mayBe: {
      require: through('chestId', where({ name: { ne: 'closed' } })),
      at: 'chestId',
      message: 'A closed chest gets no lid',
    },
  },
  access: { get: read, update: all, forbid: { update: locked } },
})

const membershipFields = {
  id: id(),
  code: text({ unique: true }),
  clubId: ofClub(),
  userId: reference('user', { required: true, onDelete: 'delete' }),
  role: roleField({ default: 'PLAYER' }),
  state: state(['ACTIVE', 'PAUSED'], {
    default: 'ACTIVE',
    keepOnReplace: true,
    transitions: { bar: { from: ['ACTIVE'], to: 'PAUSED' } },
  }),
  chestId: reference('chest', { onDelete: { deleteWhere: { role: 'OWNER' } }, keepOnReplace: true }),
}

const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: membershipFields,
  upsert: ['code'],
  list: { style: 'page', bulk: true, filterable: ['code'] },
  access: { read, ...writes, bar: all, rework: all },
  actions: {
    rework: defineAction(membershipFields, {
      input: { json: text({ required: true }) },
      async run({ record, input, records }) {
        await records(memberships).update(record.id, JSON.parse(input.json))
      },
    }),
  },
})

const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'OWNER'],
  status: 'state',
  activeStatus: 'ACTIVE',
  operator: role('SUPPORT'),
})

export const tenantWrites = [
  clubs,
  chests,
  makers,
  slots,
  lids,
  memberships,
  tenancy,
  ...accounts({ roles: ['USER', 'SUPPORT', 'ADMIN'], operator: 'ADMIN', users }),
]
