/**
 * Compile-time tests: a role that the application does not define must not compile, wherever it is
 * in a list. The last list is right.
 */
import {
  accounts,
  anyOf,
  anyone,
  apiKey,
  boolean,
  choice,
  defineResource,
  defineResources,
  derived,
  id,
  integer,
  lookup,
  money,
  onlyWhen,
  operator,
  owner,
  password,
  reference,
  role,
  roleField,
  state,
  text,
  textList,
  through,
  timestamp,
  user,
  where,
} from '../../src/index.ts'

const people = defineResource({
  name: 'person',
  path: '/people',
  fields: {
    id: id(),
    email: text({ required: true, unique: true }),
    secret: password({ required: true, write: role('LIBRARIAN') }),
    role: roleField({ default: 'READER', write: role('LIBRARIAN') }),
  },
  identity: { kind: 'login', login: 'email', secret: 'secret', role: 'role' },
  access: { create: anyone, get: anyOf([owner('id'), operator]) },
})
const said = accounts({ roles: ['READER', 'LIBRARIAN', 'CURATOR'], operator: 'LIBRARIAN', users: people })

// @ts-expect-error an operator that is no role
accounts({ roles: ['READER', 'CURATOR'], operator: 'LIBRARIAN', users: people })

const base = { name: 'shelf', path: '/shelves' } as const
const wrong = role('LIBRARAIN')
const fields = {
  id: id(),
  name: text(),
  ownerId: reference('person'),
  on: state(['OPEN', 'SHUT'], { default: 'OPEN', transitions: { shut: { from: ['OPEN'], to: 'SHUT' } } }),
}

// @ts-expect-error in a rule
defineResources([...said, defineResource({ ...base, fields, access: { list: user, update: wrong } })])
// @ts-expect-error beside a right one
defineResources([
  ...said,
  defineResource({ ...base, fields, access: { get: role('READER'), update: role('LIBRARAIN') } }),
])
// @ts-expect-error in the rule of a move
defineResources([...said, defineResource({ ...base, fields, access: { get: role('READER'), shut: wrong } })])
// @ts-expect-error in a half of a rule
defineResources([...said, defineResource({ ...base, fields, access: { update: { before: user, after: wrong } } })])
// @ts-expect-error inside either
defineResources([...said, defineResource({ ...base, fields, access: { get: anyOf([owner('ownerId'), wrong]) } })])
// @ts-expect-error inside machine
defineResources([...said, defineResource({ ...base, fields, access: { get: apiKey(wrong) } })])
// @ts-expect-error inside through
defineResources([...said, defineResource({ ...base, fields, access: { get: through('ownerId', wrong) } })])
// @ts-expect-error inside onlyWhen
defineResources([...said, defineResource({ ...base, fields, access: { get: onlyWhen(() => true, user, wrong) } })])
const inEntry = { query: { mine: { operation: 'get', access: wrong } } } as const
// @ts-expect-error in an entry of GraphQL
defineResources([...said, defineResource({ ...base, fields, access: { get: user }, graphql: inEntry })])

const asked = { read: wrong }
const set = { write: wrong }
// @ts-expect-error who may read a text
defineResources([
  ...said,
  defineResource({ ...base, fields: { id: id(), one: text({ read: role('LIBRARAIN') }) }, access: {} }),
])
// @ts-expect-error who may set a number
defineResources([
  ...said,
  defineResource({
    ...base,
    fields: { id: id(), one: integer({ write: anyOf([role('READER'), wrong]) }) },
    access: {},
  }),
])
// @ts-expect-error who may set a price
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: money(set) }, access: {} })])
// @ts-expect-error who may read a flag
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: boolean(asked) }, access: {} })])
// @ts-expect-error who may read a time
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: timestamp(asked) }, access: {} })])
// @ts-expect-error who may set a list
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: textList(set) }, access: {} })])
// @ts-expect-error who may set a choice
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: choice(['A'], set) }, access: {} })])
// @ts-expect-error who may set a reference
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: reference('person', set) }, access: {} })])
// @ts-expect-error a default that is no role
defineResources([...accounts({ roles: ['MEMBER', 'LIBRARIAN'], users: people })])

const roles = ['READER', 'CURATOR'] as const
// @ts-expect-error a member that there is not
accounts({ roles, users: people, audt: true })
// @ts-expect-error a misspelt part of an extension
accounts({ roles, users: people, keys: { acces: {} } })
// @ts-expect-error a misspelt field in a rule of an extension
accounts({ roles, users: people, keys: { access: { list: owner('usreId') } } })
// @ts-expect-error a misspelt role in one
accounts({ roles, users: people, keys: { access: { list: role('CURATRO') } } })
// @ts-expect-error an operation that the table does not have
accounts({ roles, users: people, audit: { access: { rotate: operator } } })
// @ts-expect-error a list of what is neither the engine's nor added
accounts({ roles, users: people, sessions: { list: { style: 'page', sortable: ['plac'] } } })
// @ts-expect-error a prefix of what are no keys
accounts({ roles, users: people, audit: { prefix: 'a_' } })
// @ts-expect-error a reference to a table that is not wanted
defineResources([...said, defineResource({ ...base, fields: { id: id(), keyId: reference('apiKey') }, access: {} })])
// @ts-expect-error a table that is not wanted
export const none = accounts({ roles, users: people, audit: false }).auditEvents.name

const extended = accounts({
  roles: ['READER', 'LIBRARIAN', 'CURATOR'],
  users: people,
  keys: { fields: { note: text() }, list: { style: 'page', sortable: ['note', 'name'] } },
  sessions: { name: 'visit', access: { list: anyOf([owner('userId'), role('LIBRARIAN')]) } },
})
export const others = defineResources([
  ...extended,
  defineResource({
    ...base,
    fields: { id: id(), keyId: reference('apiKey'), visitId: reference('visit') },
    access: { get: through('keyId', owner('userId')) },
  }),
])

/** One field more, with a rule. */
const withField = <const F extends object>(one: F) => ({ ...fields, ...one })
// @ts-expect-error the rule of a field names a field that is none
defineResources([
  ...said,
  defineResource({ ...base, fields: withField({ one: text({ read: owner('ownerID') }) }), access: {} }),
])
// @ts-expect-error beside a right one
defineResources([
  ...said,
  defineResource({
    ...base,
    fields: withField({ one: integer({ read: owner('ownerId'), write: anyOf([user, where({ nmae: 'x' })]) }) }),
    access: {},
  }),
])
// @ts-expect-error a field that the record behind the reference does not have
defineResources([
  ...said,
  defineResource({
    ...base,
    fields: withField({ one: money({ read: through('ownerId', owner('idd')) }) }),
    access: {},
  }),
])
// @ts-expect-error the field that a computed one is like
defineResources([
  ...said,
  defineResource({ ...base, fields: withField({ one: derived(text({ read: owner('idd') }), () => 'x') }), access: {} }),
])
// @ts-expect-error a role that the field names which a looked-up one is like
defineResources([
  ...said,
  defineResource({
    ...base,
    fields: withField({ one: lookup(text({ read: wrong }), { via: 'ownerId', field: 'email' }) }),
    access: {},
  }),
])

export const right = defineResources([
  ...said,
  defineResource({
    ...base,
    fields: {
      ...fields,
      note: text({ read: role('LIBRARIAN'), write: role('CURATOR') }),
      own: text({ read: anyOf([owner('ownerId'), role('LIBRARIAN')]), write: where({ on: 'OPEN' }) }),
      deep: textList({ read: through('ownerId', owner('id')) }),
      twice: derived(text({ read: owner('ownerId') }), ({ own }) => `${own}${own}`),
    },
    list: { style: 'page' },
    access: {
      list: where({ name: 'open' }),
      get: anyOf([owner('ownerId'), role('READER')]),
      update: { before: role('LIBRARIAN'), after: operator },
      shut: through('ownerId', anyOf([owner('id'), role('CURATOR')])),
    },
  }),
])
