/** Resources that every path of writes can reach, with every option that adds a step to a write. */
import {
  anyOf,
  anyone,
  boolean,
  choice,
  defineAction,
  defineResource,
  file,
  id,
  integer,
  password,
  reference,
  role,
  state,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { keys, oneTimeTokens, outgoingMails, tickets, traces, visits } from '../service/people.ts'
import { behaves, limits, prepares } from './hook-moods.ts'

const open = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }

/** Its version says whether it was touched. */
export const shelves = defineResource({
  name: 'shelf',
  changes: true,
  plural: 'shelves',
  path: '/shelves',
  fields: { id: id() },
  list: { style: 'page' },
  access: open,
})

/** Removing it removes what is in it. */
export const chests = defineResource({
  name: 'chest',
  changes: true,
  path: '/chests',
  fields: { id: id(), name: text() },
  list: { style: 'page' },
  access: open,
  children: { lid: { resource: 'lid', by: 'chestId', single: true } },
})

/** Removing it leaves what it has made. */
export const makers = defineResource({
  name: 'maker',
  path: '/makers',
  fields: { id: id() },
  list: { style: 'page' },
  access: open,
})

/** Fields that a write has to do something about. */
const common = () => ({
  id: id(),
  size: integer({ default: 1, max: 100 }),
  grade: integer({ default: 0, write: role('ADMIN') }),
  isLost: boolean({ default: false }),
  label: text({ readOnly: true }),
  hooked: text({ readOnly: true }),
})

/** Hooks refuse two sizes: one as a mistake of the field, one as it is. */
function refuseSizes({ size }: { readonly size: number }, refuse: (sentence: string, field?: 'size') => never): void {
  if (size === 13) refuse('size 13 brings bad luck', 'size')
  if (size === 14) refuse('There is no room for 14')
}

/** A hook leaves this of a record that goes. */
export const farewells = defineResource({
  name: 'farewell',
  path: '/farewells',
  fields: { id: id(), code: text() },
  list: { style: 'page' },
  access: open,
})

/** The rule for what a write makes of a record. */
const kept = where({ isLost: false })

/** The arguments that effects were called with, by the id of the record. */
export const followed: { readonly on: string; readonly id: string; readonly size: number; readonly before?: number }[] =
  []

type Sized = { readonly id: string; readonly size: number }
function follows(on: string) {
  return ({ record, previous }: { readonly record: Sized; readonly previous: Sized | null }) =>
    void followed.push({ on, id: record.id, size: record.size, ...(previous && { before: previous.size }) })
}

const pieceFields = {
  ...common(),
  code: text({ required: true, unique: true }),
  scan: file({ keepOnReplace: true }),
  shelfId: reference('shelf', { touch: true, keepOnReplace: true }),
  chestId: reference('chest', { onDelete: { deleteWhere: { isLost: false } }, keepOnReplace: true }),
  makerId: reference('maker', { onDelete: 'clear', keepOnReplace: true }),
  state: state(['OPEN', 'SHUT'], {
    default: 'OPEN',
    readOnly: true,
    transitions: { shut: { from: ['OPEN'], to: 'SHUT' } },
  }),
}

export const pieces = defineResource({
  name: 'piece',
  changes: true,
  path: '/pieces',
  fields: pieceFields,
  onWrite: {
    label: ({ size, state, makerId }) => `${size}${state === 'SHUT' ? ' shut' : ''}${makerId ? ' made' : ''}`,
  },
  hooks: {
    ...limits,
    prepareCreate: prepares,
    prepareUpdate: prepares,
    prepareDelete: prepares,
    async beforeCreate({ sent, record, refuse, prepared }) {
      refuseSizes(record, refuse)
      await behaves({ refuse, prepared })
      return { hooked: `created ${sent.code}` }
    },
    async beforeUpdate({ record, previous, refuse, prepared }) {
      refuseSizes(record, refuse)
      await behaves({ refuse, prepared })
      return { hooked: `updated ${previous.code}` }
    },
    async beforeDelete({ previous, records, refuse, prepared }) {
      await behaves({ refuse, prepared })
      await records(farewells).create({ code: previous.code })
    },
  },
  checks: {
    fits: { require: { size: { ne: 15 } }, at: 'size', message: 'A size of 15 does not fit' },
    staysOpen: {
      require: ({ size, state }) => size !== 16 || state === 'OPEN',
      at: 'state',
      message: 'A size of 16 stays open',
    },
    isMade: {
      require: anyOf([where({ size: { ne: 17 } }), where({ makerId: { null: false } })]),
      at: 'makerId',
      message: 'A size of 17 keeps its maker',
    },
  },
  effects: {
    made: { on: ['create'], run: follows('creates') },
    edited: { on: ['update'], run: follows('changes') },
    gone: { on: ['delete'], run: follows('removes') },
  },
  upsert: ['code'],
  list: { style: 'page', bulk: true },
  access: {
    list: anyone,
    get: anyone,
    create: kept,
    replace: kept,
    update: kept,
    delete: kept,
    import: kept,
    shut: user,
    rework: user,
  },
  actions: {
    rework: defineAction(pieceFields, {
      input: { json: text({ required: true }) },
      async run({ record, input, records }) {
        await records(pieces).update(record.id, JSON.parse(input.json))
      },
    }),
  },
})

export const lids = defineResource({
  name: 'lid',
  changes: true,
  fields: { ...common(), chestId: reference('chest', { setBy: 'parent', onDelete: 'delete', touch: true }) },
  unique: [['chestId']],
  hooks: {
    ...limits,
    prepareCreate: prepares,
    prepareUpdate: prepares,
    async beforeCreate({ record, refuse, prepared }) {
      await behaves({ refuse, prepared })
      return { hooked: `created ${record.chestId}` }
    },
    async beforeUpdate({ record, previous, refuse, prepared }) {
      refuseSizes(record, refuse)
      await behaves({ refuse, prepared })
      return { hooked: `updated ${previous.chestId}` }
    },
  },
  onWrite: { label: ({ size }) => `${size}` },
  checks: {
    fits: { require: ({ size }) => size !== 15, at: 'size', message: 'A size of 15 does not fit' },
    mayBe: {
      require: through('chestId', where({ name: { ne: 'closed' } })),
      at: 'chestId',
      message: 'A closed chest gets no lid',
    },
  },
  effects: {
    made: { on: ['create'], run: follows('creates') },
    edited: { on: ['update'], run: follows('changes') },
  },
  access: { get: anyone, update: kept },
})

const admin = role('ADMIN')
const memberFields = {
  id: id(),
  email: text({ required: true, unique: true, format: 'email' }),
  password: password({ required: true }),
  role: choice(['USER', 'EDITOR', 'ADMIN'], { default: 'USER', write: admin, keepOnReplace: true }),
  status: state(['ACTIVE', 'BARRED'], {
    default: 'ACTIVE',
    write: admin,
    keepOnReplace: true,
    transitions: { bar: { from: ['ACTIVE'], to: 'BARRED' } },
  }),
  chestId: reference('chest', { onDelete: { deleteWhere: { role: 'USER' } }, keepOnReplace: true }),
  makerId: reference('maker', { onDelete: 'clear', keepOnReplace: true }),
}

export const members = defineResource({
  name: 'member',
  changes: true,
  path: '/members',
  fields: memberFields,
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ACTIVE',
  },
  upsert: ['email'],
  list: { style: 'page' },
  access: {
    list: admin,
    get: user,
    create: role('EDITOR'),
    replace: role('EDITOR'),
    update: admin,
    delete: admin,
    import: role('EDITOR'),
    bar: admin,
    rework: admin,
  },
  actions: {
    rework: defineAction(memberFields, {
      input: { json: text({ required: true }) },
      async run({ record, input, records }) {
        await records(members).update(record.id, JSON.parse(input.json))
      },
    }),
  },
})

export const everyWrite = [
  farewells,
  shelves,
  chests,
  makers,
  pieces,
  lids,
  members,
  visits,
  tickets,
  keys,
  traces,
  oneTimeTokens,
  outgoingMails,
]
