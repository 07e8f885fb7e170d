/**
 * Compile-time tests: each wrong name below must not compile. `npm run check` fails when one of
 * them does (an unused `@ts-expect-error` is an error), so this file needs no run.
 */
import {
  anyOf,
  atLeast,
  boolean,
  choice,
  defineAction,
  defineResource,
  defineResources,
  derived,
  embedded,
  id,
  integer,
  lookup,
  money,
  owner,
  reference,
  role,
  state,
  text,
  through,
  timestamp,
  where,
} from '../../src/index.ts'

const fields = {
  id: id(),
  name: text({ required: true }),
  ownerId: reference('user', { setBy: 'principal' }),
  price: money({ required: true }),
  status: state(['OPEN', 'DONE'], { default: 'OPEN', transitions: { close: { from: ['OPEN'], to: 'DONE' } } }),
  createdAt: timestamp({ setOn: 'create' }),
}

export const right = defineResource({
  name: 'thing',
  fields,
  list: { style: 'page', sortable: ['name', 'price'], defaultSort: '-createdAt', filters: { min: atLeast('price') } },
  access: { list: role('USER'), close: anyOf([owner('ownerId'), role('ADMIN')]) },
  onWrite: { name: (thing) => (thing.price > 0 ? thing.name : '') },
})

export const displayed = defineResource({
  name: 'thing',
  fields,
  access: { close: role('ADMIN') },
  display: {
    label: { en: 'Thing', de: 'Ding' },
    labels: { price: { en: 'Price', de: 'Preis' }, close: 'Close it' },
    groups: { Money: ['price'], state: { label: { en: 'State' }, fields: ['status'] } },
    columns: ['name', 'price'],
    title: 'name',
    widgets: { name: 'markdown' },
    menu: false,
  },
})

const shown = { name: 'thing', fields, access: {} } as const
export const wrongDisplays = [
  // @ts-expect-error no such field to show
  defineResource({ ...shown, display: { columns: ['nam'] } }),
  // @ts-expect-error no such field for the title
  defineResource({ ...shown, display: { title: 'nam' } }),
  // @ts-expect-error no such field to name
  defineResource({ ...shown, display: { labels: { prcie: 'Price' } } }),
  // @ts-expect-error no such field in a group
  defineResource({ ...shown, display: { groups: { Money: ['prcie'] } } }),
  // @ts-expect-error no such widget
  defineResource({ ...shown, display: { widgets: { name: 'markdwon' } } }),
  // @ts-expect-error a widget of texts for an amount
  defineResource({ ...shown, display: { widgets: { price: 'markdown' } } }),
  // @ts-expect-error a misspelt member
  defineResource({ ...shown, display: { colums: ['name'] } }),
]

export const wrongSort = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field to sort by
  list: { style: 'page', sortable: ['nam'] },
  access: {},
})

export const wrongDefaultSort = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field to sort by
  list: { style: 'page', defaultSort: '-created' },
  access: {},
})

export const wrongFilter = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field to filter by
  list: { style: 'page', filters: { min: atLeast('prize') } },
  access: {},
})

export const wrongSearch = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field to search in
  list: { style: 'page', search: ['title'] },
  access: {},
})

export const wrongOwner = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field in a rule
  access: { list: owner('userId') },
})

export const wrongEither = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field inside either
  access: { list: anyOf([owner('userId'), role('ADMIN')]) },
})

export const wrongWhere = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such field in a condition
  access: { list: where({ published: true }) },
})

export const wrongOperation = defineResource({
  name: 'thing',
  fields,
  // @ts-expect-error no such operation, and no such move
  access: { destroy: role('ADMIN') },
})

export const wrongState = state(['OPEN', 'DONE'], {
  // @ts-expect-error no such state to move to
  transitions: { close: { from: ['OPEN'], to: 'CLOSED' } },
})

export const wrongFollow = defineResource({
  name: 'thing',
  fields,
  access: {},
  // @ts-expect-error no such field to keep
  onWrite: { nam: () => 'x' },
})

export const wrongUnique = defineResource({
  name: 'thing',
  fields,
  access: {},
  // @ts-expect-error no such field in a unique key
  unique: [['nam']],
})

export const wrongAction = defineAction({
  async run({ records }) {
    const thing = await records(right).get('1')
    // @ts-expect-error no such field on a record
    return thing.nam
  },
})

export const wrongChange = defineAction({
  async run({ records }) {
    // @ts-expect-error no such field to change
    await records(right).update('1', { nam: 'x' })
    // @ts-expect-error not the type of the field
    await records(right).update('1', { price: 'x' })
  },
})

export const earlier = {
  code: text({ renamedFrom: ['key', 'isbn'], backfill: (row) => row.name, convert: (value) => `${value}` }),
  kind: choice(['A', 'B'], { renamedFrom: ['type', { OLD: 'B' }], backfill: 'A' }),
  phase: state(['OPEN', 'DONE'], {
    renamedFrom: { SHUT: 'DONE' },
    transitions: { end: { from: ['OPEN'], to: 'DONE' } },
  }),
}

// @ts-expect-error no such option
export const wrongWas = text({ renamedForm: 'key' })
// @ts-expect-error a name is a text
export const wrongWasKind = integer({ renamedFrom: 5 })
// @ts-expect-error only a choice has words
export const wrongWords = text({ renamedFrom: { OLD: 'NEW' } })
// @ts-expect-error no such word
export const wrongWord = choice(['A', 'B'], { renamedFrom: { OLD: 'C' } })
// @ts-expect-error no such word
export const wrongChoiceBackfill = choice(['A', 'B'], { backfill: 'C' })
// @ts-expect-error no number
export const wrongBackfill = integer({ backfill: 'none' })
// @ts-expect-error null is no value
export const nullBackfill = integer({ backfill: null })
// @ts-expect-error makes no number
export const wrongBackfillMaker = money({ backfill: (row) => `${row.size}` })
// @ts-expect-error makes no text
export const wrongConvert = text({ convert: (value) => Number(value) })
export const wrongResourceWas = defineResource({
  name: 'thing',
  // @ts-expect-error a name is a text
  renamedFrom: 5,
  fields,
  access: {},
})

const fees = defineResource({
  name: 'fee',
  fields: {
    id: id(),
    thingId: reference('thing', { required: true, onDelete: 'refuse' }),
    amount: money({ required: true }),
    note: text(),
    price: lookup(money(), { via: 'thingId', field: 'price' }),
    share: derived(money(), ({ amount, price }) => amount / price),
  },
  access: {},
})

const members = {
  id: id(),
  name: text({ required: true }),
  status: state(['OPEN', 'DONE'], { default: 'OPEN', transitions: { close: { from: ['OPEN'], to: 'DONE' } } }),
  fees: embedded(fees, 'thingId'),
  named: embedded('fee', 'thingId'),
  price: lookup(money(), { via: 'thingId', field: 'price' }),
  size: derived(integer(), () => 3),
}

/**
 * The record that a derived field reads is typed by the fields that it names, embedded records by
 * their own declaration.
 */
export const derivations = {
  paid: derived(money(), ({ fees }) => fees.reduce((sum, { amount }) => sum + amount, 0), { fields: members }),
  size: derived(integer(), ({ size, name }) => size + name.length, { fields: members }),
  late: derived(boolean(), ({ name }, { now }) => name < now, { fields: members, clock: true }),
  // @ts-expect-error a text is no sum
  note: derived(money(), ({ fees }) => fees[0]?.note ?? '', { fields: members }),
  // @ts-expect-error a value of an embedded record that may be null
  lookedUp: derived(money(), ({ fees }) => fees.reduce((sum, { price }) => sum + price, 0), { fields: members }),
  // @ts-expect-error embedded records have no such field
  part: derived(money(), ({ fees }) => fees.reduce((sum, { amuont }) => sum + amuont, 0), { fields: members }),
  // @ts-expect-error nothing is known of records that are embedded by a name alone
  named: derived(money(), ({ named }) => named.reduce((sum, { amount }) => sum + amount, 0), { fields: members }),
  // @ts-expect-error no such field of the record
  field: derived(text(), ({ nmae }) => nmae, { fields: members }),
  // @ts-expect-error no such state
  isGone: derived(boolean(), ({ status }) => status === 'GONE', { fields: members }),
  // @ts-expect-error a looked-up value may be null
  price: derived(money(), ({ price }) => price * 2, { fields: members }),
  // @ts-expect-error the time is for those that depend on it
  time: derived(boolean(), ({ name }, { now }) => name < now, { fields: members }),
  // @ts-expect-error no fields
  fields: derived(text(), ({ name }) => name, { fields: { name: 'text' } }),
  /** Without its fields anything is read, as ever. */
  any: derived(money(), ({ whatever }) => whatever.amount),
}

// @ts-expect-error what is derived is a number where its computation always gives one
export const notText: string = derivations.paid._value

export const embedding = defineResource({
  name: 'thing',
  fields: { ...members, ...{ thingId: reference('thing') } },
  access: {},
})

defineResources([embedding, fees])
// @ts-expect-error fee: no field "thinkId"
defineResources([
  fees,
  defineResource({ name: 'thing', fields: { id: id(), price: money(), fees: embedded(fees, 'thinkId') }, access: {} }),
])

const clubId = reference('club')
const clubs = defineResource({ name: 'club', fields: { id: id() }, access: {} })
const teams = defineResource({ name: 'team', fields: { id: id(), clubId, level: text() }, access: {} })
const teamId = reference('team', { match: 'clubId' })

defineResources([clubs, teams, defineResource({ name: 'event', fields: { id: id(), clubId, teamId }, access: {} })])
// @ts-expect-error event: field "teamId": match: no field "clubId"
defineResources([clubs, teams, defineResource({ name: 'event', fields: { id: id(), teamId }, access: {} })])
// @ts-expect-error event: field "teamId": match: no field "size" in "team"
defineResources([
  clubs,
  teams,
  defineResource({
    name: 'event',
    fields: { id: id(), clubId, size: text(), teamId: reference('team', { match: ['clubId', 'size'] }) },
    access: {},
  }),
])

defineResources([
  clubs,
  defineResource({
    name: 'event',
    fields: { id: id(), clubId },
    access: {},
    checks: { right: { require: through('clubId', where({ id: { ne: 'a' } })), message: 'No' } },
  }),
])
// @ts-expect-error event: access: no field "name" in "club"
defineResources([
  clubs,
  defineResource({
    name: 'event',
    fields: { id: id(), clubId },
    access: {},
    checks: { right: { require: through('clubId', where({ name: 'a' })), message: 'No' } },
  }),
])
