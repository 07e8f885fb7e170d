/** Resources with a trash, and others that refer to them in each way, for tests. */
import {
  autoNumber,
  defineResource,
  embedded,
  equals,
  id,
  owner,
  reference,
  role,
  text,
  timestamp,
  user,
} from '../../src/index.ts'

const all = { list: user, get: user, create: user, replace: user, update: user, delete: user }
const racks = defineResource({
  name: 'rack',
  changes: true,
  path: '/racks',
  trash: { days: 30 },
  fields: {
    id: id(),
    name: text({ required: true, unique: true, maxLength: 40 }),
    number: autoNumber(),
    secretNote: text({ hidden: true }),
    shade: text({ read: role('ADMIN') }),
    ownerId: reference('member', { setBy: 'principal' }),
    insideId: reference('rack', { onDelete: { deleteWhere: { layer: 'inner' } } }),
    layer: text(),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: {
    style: 'page',
    bulk: true,
    sortable: ['name', 'createdAt'],
    filters: { named: equals('name') },
    search: ['name'],
  },
  access: { ...all, export: role('ADMIN'), purge: role('ADMIN') },
  children: { tomes: { resource: 'tome', by: 'rackId' }, pledges: { resource: 'pledge', by: 'rackId' } },
})
const tomes = defineResource({
  name: 'tome',
  changes: true,
  path: '/tomes',
  fields: {
    id: id(),
    rackId: reference('rack', { required: true, onDelete: 'delete', touch: true }),
    code: text({ unique: true }),
    leaves: embedded('leaf', 'tomeId'),
  },
  list: { style: 'page' },
  access: all,
})
const leaves = defineResource({
  name: 'leaf',
  changes: true,
  plural: 'leaves',
  fields: { id: id(), tomeId: reference('tome', { required: true, onDelete: 'delete' }), says: text() },
  access: {},
})
const notes = defineResource({
  name: 'jotting',
  changes: true,
  path: '/jottings',
  fields: { id: id(), rackId: reference('rack'), tomeId: reference('tome'), says: text() },
  list: { style: 'page' },
  access: all,
})
const loans = defineResource({
  name: 'pledge',
  changes: true,
  path: '/pledges',
  trash: { days: 1 },
  fields: {
    id: id(),
    rackId: reference('rack', { required: true, onDelete: 'refuse' }),
    byId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
  },
  list: { style: 'page' },
  access: { ...all, delete: owner('byId'), get: owner('byId') },
})

export const trashed = [racks, tomes, leaves, notes, loans]
