/**
 * An application with every kind of field that fills more than its own column. It has a tree, links
 * with values, a manual order, counts, computed fields, a trash and a history.
 */
import {
  anyone,
  bigint,
  choice,
  computed,
  count,
  decimal,
  defineResource,
  float,
  id,
  integer,
  latest,
  manualOrder,
  manyToMany,
  oneToOne,
  reference,
  sum,
  text,
  timestamp,
} from '../../src/index.ts'

const access = { read: anyone, write: anyone, import: anyone, export: anyone } as const
const kept = { ...access, restore: anyone } as const

const labels = defineResource({
  name: 'label',
  path: '/labels',
  fields: { id: id(), name: text({ required: true, unique: true }) },
  list: { style: 'page' },
  access,
})

const bins = defineResource({
  name: 'bin',
  path: '/bins',
  trash: { days: 30 },
  history: { keep: 9 },
  fields: {
    id: id(),
    name: text({ required: true, unique: true }),
    aboveId: reference('bin', { tree: { depth: 8 } }),
    parts: count('parts'),
    mass: sum('parts', 'mass'),
    lastAt: latest('parts', 'at'),
  },
  list: { style: 'page', sortable: ['name', 'parts'] },
  access: kept,
  children: { parts: { resource: 'part', by: 'binId' } },
})

const partFields = {
  id: id(),
  name: text({ required: true, unique: true, maxLength: 30 }),
  binId: reference('bin', { onDelete: 'clear' }),
  place: manualOrder({ within: 'binId' }),
  heat: float(),
  mass: bigint({ default: 0n }),
  price: decimal({ precision: 9, scale: 2 }),
  at: timestamp(),
  labels: manyToMany('label', {
    ordered: true,
    fields: { why: choice(['OLD', 'NEW'], { default: 'NEW' }), n: integer() },
  }),
}
const parts = defineResource({
  name: 'part',
  path: '/parts',
  trash: { days: 30 },
  history: { keep: 9 },
  fields: {
    ...partFields,
    shout: computed(text(), ({ name }) => name.toUpperCase()),
    isHot: computed(text(), ({ heat }) => (heat === null ? null : heat > 1 ? 'HOT' : 'COLD')),
  },
  list: { style: 'page', sortable: ['name', 'place', 'shout'] },
  upsert: ['name'],
  access: kept,
})

const seals = defineResource({
  name: 'seal',
  path: '/seals',
  fields: { id: id(), note: text(), partId: oneToOne('part', { onDelete: 'clear' }) },
  list: { style: 'page' },
  access,
})

const rules = defineResource({
  name: 'rules',
  path: '/rules',
  single: true,
  history: { keep: 5 },
  fields: {
    id: id(),
    title: text({ default: 'Rules' }),
    most: float({ default: 0.1 }),
    first: manyToMany('label'),
  },
  access: { read: anyone, write: anyone },
})

/** In an order in which each may be imported: the references of a tree are within its own file. */
export const depot = [labels, bins, parts, seals, rules]
