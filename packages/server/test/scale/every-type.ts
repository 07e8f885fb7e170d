/**
 * Resources for random requests: the field types that the library's application lacks. They also
 * have counted fields, links, increments, a history, a trash, a tree and a one-to-one relation.
 */
import {
  autoNumber,
  bigint,
  choice,
  count,
  date,
  decimal,
  defineResource,
  derived,
  float,
  id,
  integer,
  integerId,
  json,
  latest,
  list,
  manualOrder,
  manyToMany,
  money,
  oneToOne,
  reference,
  role,
  slug,
  sum,
  text,
  time,
  timestamp,
  url,
  uuid,
} from '../../src/index.ts'

const yearOf = (day: string) => Number(day.slice(0, 4))

const [user, editor] = [role('USER'), role('EDITOR')]

const crates = defineResource({
  name: 'crate',
  changes: true,
  path: '/crates',
  trash: { days: 30 },
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 60 }),
    slug: slug({ from: 'title', maxLength: 20 }),
    parcels: count('parcels'),
    heavy: count('parcels', { where: { stock: { gte: 3 } } }),
    stock: sum('parcels', 'stock'),
    worth: sum('parcels', 'worth'),
    far: sum('parcels', 'far'),
    price: sum('parcels', 'price', { where: { stock: { lt: 3 } } }),
    weight: sum('parcels', 'weight'),
    lastAt: latest('parcels', 'at'),
    aboveId: reference('crate', { tree: { depth: 3 } }),
  },
  list: {
    style: 'page',
    sortable: ['title', 'parcels', 'stock', 'worth', 'far', 'price', 'weight', 'lastAt'],
    search: ['title'],
    bulk: true,
  },
  access: { read: user, write: user, restore: user, purge: editor },
  children: {
    parcels: { resource: 'parcel', by: 'crateId' },
    packed: { resource: 'parcel', by: 'crateId', inBody: true },
    seal: { resource: 'seal', by: 'crateId' },
  },
})

const stickers = defineResource({
  name: 'sticker',
  changes: true,
  path: '/stickers',
  fields: { id: integerId(), name: text({ required: true, maxLength: 60 }), weight: integer({ default: 0 }) },
  list: { style: 'page', sortable: ['name', 'weight'] },
  access: { read: user, write: user },
})

const yard = defineResource({
  name: 'yard',
  path: '/yard',
  single: true,
  history: { keep: 5 },
  fields: {
    id: id(),
    title: text({ default: 'Yard', maxLength: 60 }),
    day: date(),
    size: integer({ default: 1, min: 0, increment: true }),
    stickers: manyToMany('sticker', { max: 3 }),
  },
  access: { read: user, write: user },
})

const seals = defineResource({
  name: 'seal',
  path: '/seals',
  trash: { days: 30 },
  fields: { id: id(), note: text({ maxLength: 60 }), crateId: oneToOne('crate', { onDelete: 'delete' }) },
  list: { style: 'page', sortable: ['note'], bulk: true },
  access: { read: user, write: user, restore: user, purge: editor },
})

const parcels = defineResource({
  name: 'parcel',
  changes: true,
  path: '/parcels',
  trash: { days: 30 },
  history: { keep: 5 },
  fields: {
    id: id(),
    no: autoNumber({ prefix: 'P-', digits: 2 }),
    title: text({ required: true, maxLength: 60 }),
    slug: slug({ from: 'title', maxLength: 20 }),
    crateId: reference('crate', { required: true, onDelete: 'delete' }),
    besideId: reference('parcel', { onDelete: 'clear' }),
    day: date(),
    hour: time(),
    years: derived(integer(), ({ day }, { now }) => (day === null ? null : yearOf(now) - yearOf(day)), {
      clock: true,
      follows: 'day',
      direction: 'desc',
      bounds: (years, { now }) => `${String(yearOf(now) - years).padStart(4, '0')}-12-31`,
    }),
    at: timestamp(),
    key: uuid({ unique: true }),
    site: url(),
    far: bigint({ increment: true, default: 0n }),
    price: decimal({ precision: 6, scale: 2, increment: true, default: '0.00' }),
    weight: decimal({ precision: 9, scale: 3, json: 'number' }),
    heat: float(),
    load: float({ default: 0.1, min: -1e21 }),
    stock: integer({ increment: true, default: 0, min: -5 }),
    worth: money({ increment: true, default: 0 }),
    words: list(text({ maxLength: 60 })),
    counts: list(integer()),
    days: list(date()),
    prices: list(decimal({ precision: 6, scale: 2 })),
    kinds: list(choice(['A', 'B'])),
    heats: list(float()),
    notes: json(),
    stickers: manyToMany('sticker', { ordered: true, max: 4, fields: { note: text({ maxLength: 20 }) } }),
    related: manyToMany('parcel'),
    place: manualOrder({ within: 'crateId' }),
    madeAt: timestamp({ setOn: 'create' }),
  },
  list: {
    style: 'page',
    sortable: ['no', 'slug', 'day', 'hour', 'at', 'far', 'price', 'weight', 'heat', 'stock'],
    search: ['title'],
    bulk: true,
  },
  unique: [['crateId', 'day']],
  upsert: ['slug', ['crateId', 'day']],
  access: { read: user, write: user, restore: user, purge: editor },
})

/** Beside the resources of an application with these roles. */
export const everyType = [crates, stickers, seals, parcels, yard]
