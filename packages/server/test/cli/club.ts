/**
 * The command line of a small application with circular references. `CLUB` names its version:
 * `before`; `after`, with renamed resources and fields; or `told`, where the declarations name the
 * earlier ones.
 */
import {
  anyone,
  choice,
  type DeclaredResource,
  defineResource,
  id,
  integer,
  integerId,
  money,
  reference,
  runCommandLine,
  text,
} from 'bindery-server'

const access = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }
const list = { style: 'page', sortable: ['id'], defaultSort: 'id' } as const

/** Either of person and branch may be there without the other; a table needs a seat. */
const circlesWith = (person: string) => [
  defineResource({
    name: 'branch',
    path: '/branches',
    fields: {
      id: integerId(),
      name: text({ required: true, unique: true }),
      city: text(),
      headId: reference(person, { onDelete: 'clear' }),
    },
    unique: [['name', 'city']],
    list,
    access,
  }),
  defineResource({
    name: 'seat',
    path: '/seats',
    fields: { id: id(), label: text({ required: true }), tableId: reference('table', { onDelete: 'clear' }) },
    list,
    access,
  }),
  defineResource({
    name: 'table',
    path: '/tables',
    fields: { id: id(), headSeatId: reference('seat', { onDelete: 'delete' }) },
    list,
    access,
  }),
]

const before = defineResource({
  name: 'person',
  plural: 'people',
  path: '/people',
  fields: {
    id: id(),
    code: text({ required: true, unique: true }),
    nick: text(),
    fee: money(),
    state: choice(['IN', 'BACK'], { default: 'IN' }),
    branchId: reference('branch', { onDelete: 'clear' }),
    bossId: reference('person', { onDelete: 'clear' }),
  },
  list: { ...list, search: ['nick'] },
  access,
})

const after = defineResource({
  name: 'person',
  plural: 'people',
  path: '/people',
  fields: {
    id: id(),
    code: text({ required: true, unique: true }),
    nickName: text(),
    fee: money(),
    state: choice(['IN', 'RETURNED'], { default: 'IN' }),
    rank: choice(['LOW', 'HIGH'], { default: 'LOW' }),
    branchId: reference('branch', { onDelete: 'clear' }),
    bossId: reference('person', { onDelete: 'clear' }),
  },
  list: { ...list, search: ['nickName'] },
  access,
})

const told = defineResource({
  name: 'member',
  renamedFrom: 'person',
  path: '/members',
  fields: {
    id: id(),
    code: text({ required: true, unique: true }),
    nickName: text({ renamedFrom: 'nick' }),
    fee: text({ convert: (minorUnits) => `${minorUnits / 100} a year` }),
    state: choice(['IN', 'RETURNED'], { default: 'IN', renamedFrom: { BACK: 'RETURNED' } }),
    badge: text({ required: true, unique: true, backfill: ({ code, state }) => `${code} ${state}` }),
    since: integer({ required: true, backfill: 2020 }),
    branchId: reference('branch', { onDelete: 'clear' }),
    bossId: reference('member', { onDelete: 'clear' }),
  },
  list: { ...list, search: ['nickName'] },
  access,
})

const version = process.env.CLUB
await runCommandLine(
  async (): Promise<readonly DeclaredResource[]> =>
    version === 'told'
      ? [...circlesWith('member'), told]
      : [...circlesWith('person'), version === 'after' ? after : before],
)
