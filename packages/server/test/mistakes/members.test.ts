/**
 * Misspelt and wrong members of a declaration, at every level, and circular values: the start
 * refuses each with a suggestion.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  choice,
  equals,
  id,
  integer,
  owner,
  password,
  reference,
  role,
  roleField,
  text,
  textList,
  timestamp,
  user,
  verifyAddress,
} from '../../src/index.ts'
import { declare, loosely, mistakesOf, notOne, part, thing } from './declaring.ts'

const at = 'packages/server/test/mistakes/declaring.ts'

type Loose = Readonly<Record<string, unknown>>
type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const inList = (list: object) => [thing({ list: { style: 'page', ...list } })]
const inEntry = (entry: unknown, side = 'query') => [thing({ graphql: { [side]: { things2: entry } } })]

const ofResources: readonly Row[] = [
  ['a misspelt member', [thing({ addOnCraete: [] })], 'thing: no member "addOnCraete"; did you mean "addOnCreate"?'],
  [
    'a member of another level',
    [thing({ sortable: ['name'] })],
    'thing: no member "sortable"; there are name, plural, description, example, renamedFrom, path, atRoot, fields, list, access, unique, concurrency, upsert, addOnCreate, onWrite, hooks, checks, children, actions, effects, history, changes, graphql, identity, messages, display, tenant, single, trash, explainAccess, deprecated, deprecatedOperations',
  ],
  ['no access', [declare({ name: 'thing', fields: { id: id() } })], 'thing: needs access'],
  ['no fields', [declare({ name: 'thing', access: {} })], 'thing: needs fields'],
  ['no name', [declare({ access: {}, fields: { id: id() } })], 'a resource without a name: needs name'],
  [
    'a plural that is no name',
    [thing({ plural: 'the things' })],
    'thing: plural: a name is camelCase letters and digits',
  ],
  [
    'a concurrency that there is not',
    [thing({ concurrency: 'optional' })],
    'thing: concurrency: cannot be "optional"; there are required',
  ],
  ['an upsert by what is not unique', [thing({ upsert: ['name'] })], 'thing: upsert: "name" is not unique'],
  [
    'an upsert by fields that are not unique together',
    [thing({ fields: { no: integer() }, unique: [['no']], upsert: ['no', ['no', 'name'], ['nmae']] })],
    'thing: upsert: needs a path, and rules for create and replace',
    'thing: upsert: [no, name] is not unique',
    'thing: upsert: no field "nmae"; did you mean "name"?',
  ],
  [
    'an upsert by a field that the engine sets, and one that is named twice',
    [
      thing({
        fields: { at: timestamp({ setOn: 'create' }), no: integer() },
        unique: [['at', 'no'], ['no']],
        upsert: [
          ['at', 'no'],
          ['no', 'at'],
        ],
      }),
    ],
    'thing: upsert: "at" is set by the engine, so no caller sends it',
    'thing: upsert: [no, at] is named twice',
  ],
  ['a flag that is none', [thing({ atRoot: 'yes' })], 'thing: atRoot: must be true or false, and is "yes"'],
  [
    'what was not made by defineResource',
    [{ name: 'thing', fields: {}, access: {} }],
    'the list of resources: number 1 is an object, and not made by defineResource',
  ],
  [
    'a hole in the list',
    [thing(), undefined],
    'the list of resources: number 2 is undefined, and not made by defineResource',
  ],
  [
    'a misspelt message',
    [thing({ messages: { conflcit: 'No' } })],
    'thing: messages: no member "conflcit"; did you mean "conflict"?',
  ],
  [
    'a message of a misspelt operation',
    [thing({ messages: { notFound: { delte: 'No' } } })],
    'thing: messages.notFound: no member "delte"; did you mean "delete"?',
  ],
  [
    'a message that is no text',
    [thing({ messages: { conflict: 409 } })],
    'thing: messages.conflict: must be a text, and is 409',
  ],
  ['a misspelt key', [thing({ unique: [['nmae']] })], 'thing: unique: no field "nmae"; did you mean "name"?'],
  ['a key that is no list', [thing({ unique: ['name'] })], 'thing: unique: must be a list, and is "name"'],
  [
    'a key with a field twice',
    [thing({ unique: [['name', 'name']] })],
    'thing: unique: [name, name] names a field twice',
  ],
  ['a key of a list', [thing({ fields: { tags: textList() }, unique: [['tags']] })], 'thing: unique: "tags" is a list'],
  [
    'a list that is unique',
    [thing({ fields: { tags: textList({ unique: true }) } })],
    'thing: field "tags": a list cannot be unique',
  ],
  [
    'a number to add that is a reference',
    [thing({ fields: { no: integer() }, unique: [['name']], addOnCreate: ['noo'] })],
    'thing: addOnCreate: no field "noo"; did you mean "no"?',
  ],
  [
    'a misspelt following value',
    [thing({ onWrite: { nmae: () => '' } })],
    'thing: onWrite: no field "nmae"; did you mean "name"?',
  ],
  [
    'a following value without a function',
    [thing({ onWrite: { name: 'x' } })],
    'thing: onWrite.name: must be a function, and is "x"',
  ],
  [
    'a following value of a misspelt one',
    [thing({ onWrite: { name: (record: Loose) => record.nmae } })],
    'thing: onWrite.name: reads "nmae": no field "nmae"; did you mean "name"?',
  ],
]

const ofLists: readonly Row[] = [
  ['a misspelt member', inList({ sortible: ['name'] }), 'thing: list: no member "sortible"; did you mean "sortable"?'],
  ['no style', [thing({ list: {} })], 'thing: list: needs style'],
  [
    'a misspelt style',
    [thing({ list: { style: 'pages' } })],
    'thing: list.style: cannot be "pages"; did you mean "page"?',
  ],
  ['a misspelt sort', inList({ sortable: ['nmae'] }), 'thing: list.sortable: no field "nmae"; did you mean "name"?'],
  ['a sort that is no list', inList({ sortable: 'name' }), 'thing: list.sortable: must be a list, and is "name"'],
  [
    'a misspelt default sort',
    inList({ defaultSort: '-nmae' }),
    'thing: list.defaultSort: no field "nmae"; did you mean "name"?',
  ],
  ['a misspelt search', inList({ search: ['nmae'] }), 'thing: list.search: no field "nmae"; did you mean "name"?'],
  [
    'a filter of a misspelt field',
    inList({ filters: { by: equals('nmae') } }),
    'thing: list.filters.by: no field "nmae"; did you mean "name"?',
  ],
  [
    'a filter that is a field',
    inList({ filters: { by: 'name' } }),
    'thing: list.filters.by: must be an object, and is "name"',
  ],
  [
    'a filter of its own making',
    inList({ filters: { by: { field: 'name', by: 'equals' } } }),
    'thing: list.filters.by.by: cannot be "equals"; there are eq, gte, lte, contains, true',
  ],
  [
    'a field without an index that there is not',
    inList({ sortable: ['name'], unindexed: ['nmae'] }),
    'thing: list.unindexed: no field "nmae"; did you mean "name"?',
  ],
]

const ofGraphql: readonly Row[] = [
  [
    'a misspelt side',
    [thing({ graphql: { mutations: {} } })],
    'thing: graphql: no member "mutations"; did you mean "mutation"?',
  ],
  [
    'a misspelt member',
    inEntry({ operation: 'list', limt: 3 }),
    'thing: graphql.query.things2: no member "limt"; did you mean "limit"?',
  ],
  ['no operation', inEntry({ limit: 3 }), 'thing: graphql.query.things2: needs operation'],
  ['a misspelt operation', inEntry('lsit'), 'thing: graphql.query.things2: no operation "lsit"; did you mean "list"?'],
  [
    'an operation of the other side',
    inEntry('list', 'mutation'),
    'thing: graphql.mutation.things2: "list" is no mutation; it belongs under query',
  ],
  [
    'a limit that is none',
    inEntry({ operation: 'list', limit: '3' }),
    'thing: graphql.query.things2.limit: must be a whole number from 1, and is "3"',
  ],
  [
    'a misspelt result',
    inEntry({ operation: 'list', returns: 'slef' }),
    'thing: graphql.query.things2.returns: cannot be "slef"; did you mean "self"?',
  ],
  [
    'a misspelt condition',
    inEntry({ operation: 'list', where: { nmae: 'x' } }),
    'thing: graphql.query.things2: where: no field "nmae"; did you mean "name"?',
  ],
  [
    'a rule that is a word',
    inEntry({ operation: 'list', access: 'user' }),
    `thing: graphql.query.things2.access: ${notOne} "user"; rules are written without quotes`,
  ],
]

const email = text({ required: true, unique: true, format: 'email' })
/** Users with a change to their fields or mark. */
function people(fields: object = {}, mark: object = {}): unknown[] {
  const own = {
    email,
    secret: password({ required: true }),
    role: choice(['USER', 'EDITOR', 'ADMIN'], { default: 'USER' }),
  }
  const identity = { kind: 'login', login: 'email', secret: 'secret', role: 'role', ...mark }
  return [thing({ name: 'person', path: '/people', fields: { ...own, ...fields }, identity })]
}
const person = people({ role: roleField({ default: 'USER' }) })[0]
/** The declarations that `accounts` makes when this is said besides. */
function extending(said: object): readonly unknown[] {
  return loosely(accounts, { roles: ['USER', 'ADMIN'], users: person, ...said }) as readonly unknown[]
}
const operators = role('ADMIN')
const ofAudit: readonly Row[] = [
  ['none', extending({ audit: { fields: { reason: text() }, access: { list: user, export: user } } })],
  [
    'a rule that would open it',
    extending({ audit: { access: { update: operators, delete: operators } } }),
    'auditEvent: access.update: audit events are only read: there are list, get and export',
    'auditEvent: access.delete: audit events are only read: there are list, get and export',
  ],
  [
    'events that go with their record',
    extending({ audit: { fields: { whoseId: reference('person', { onDelete: 'clear' }) } } }),
    'auditEvent: field "whoseId": must have onDelete: \'keep\': what happened stays as it was when the record that it names has gone',
  ],
  [
    'what the engine cannot know',
    extending({ audit: { fields: { reason: text({ required: true }) } } }),
    'auditEvent: field "reason": must not be required: the engine knows no value for it',
  ],
  [
    'what may be there once',
    extending({ audit: { fields: { note: text({ unique: true }) } } }),
    'auditEvent: field "note": must not be unique: the same thing may happen again',
  ],
  [
    'a record that would touch them',
    [...extending({}), part({ fields: { thingId: reference('auditEvent', { touch: true }) } })],
    'auditEvent: fields: field "thingId" of "part" must not touch audit events, which never change',
  ],
]
const ofTables: readonly Row[] = [
  ['none', extending({ keys: { name: 'machine', path: '/machines', fields: { note: text() } }, recovery: false })],
  [
    'a misspelt member',
    extending({ sessions: { acces: {} } }),
    'accounts: sessions: no member "acces"; did you mean "access"?',
  ],
  [
    'a word in place of a choice',
    extending({ factors: 'yes', recovery: 'yes' }),
    'accounts: factors: must be an object, and is "yes"',
    'accounts: recovery: must be true or false, and is "yes"',
  ],
  [
    'a table that is always there',
    extending({ sessions: false }),
    'accounts: sessions: must be an object, and is false',
  ],
  [
    "a field of the engine's own",
    extending({ sessions: { fields: { userAgent: text() } } }),
    'accounts: sessions.fields: "userAgent" is a field of the engine\'s own',
  ],
  [
    'a field that is none',
    extending({ keys: { fields: { note: 'text' } } }),
    'accounts: keys.fields.note: must be a field, such as text(), and is "text"',
  ],
  [
    'a field that every session needs',
    extending({ sessions: { fields: { note: text({ required: true }) } } }),
    'session: field "note": must not be required: the engine knows no value for it',
  ],
  ['a field that every key needs', extending({ keys: { fields: { note: text({ required: true }) } } })],
  [
    'a rule that is a word',
    extending({ audit: { access: { list: 'user' } } }),
    `accounts: audit.access.list: ${notOne} "user"; rules are written without quotes`,
  ],
  [
    'a rule for what there is not',
    extending({ audit: { access: { lsit: user } } }),
    'auditEvent: access.lsit: no such operation; did you mean "list"?; there are list, get, create, replace, update, delete, import, export, read, write',
  ],
  [
    'records that the engine alone makes',
    extending({ sessions: { access: { replace: user } } }),
    'session: access.replace: the engine alone makes these records',
  ],
  [
    'a path that is taken',
    [...extending({ sessions: { path: '/things' } }), thing()],
    `thing: path: the engine uses this path for a table of accounts (${at}); choose another, or set sessions.path of accounts`,
  ],
  [
    'a copy of a table, as applications had them before',
    [thing({ identity: { kind: 'audit', at: 'at' } })],
    'thing: identity: the engine declares this resource itself: delete it, and write accounts({ …, audit: … }), which keeps its records',
  ],
]
const ofEngineWork: readonly Row[] = [
  [
    "the engine's action in another resource",
    [thing({ access: { list: user, verify: user }, actions: { verify: verifyAddress } })],
    'thing: actions.verify: verifyAddress is for the resource of the log-in',
  ],
]
const ofIdentity: readonly Row[] = [
  ['a misspelt kind', people({}, { kind: 'logn' }), 'person: identity.kind: cannot be "logn"; did you mean "login"?'],
  ['a misspelt part', people({}, { statsu: 'role' }), 'person: identity: no member "statsu"; did you mean "status"?'],
  ['a part that is missing', people({}, { role: undefined }), 'person: identity: needs role'],
  [
    'a misspelt field',
    people({}, { login: 'emial' }),
    'person: identity.login: no field "emial"; did you mean "email"?',
  ],
  [
    'a log-in that two may share',
    people({ email: text({ required: true }) }),
    'person: identity.login: "email" must be unique, or two could share it and only one log in: unique: true',
  ],
  [
    'a log-in that may be missing',
    people({ email: text({ unique: true }) }),
    'person: identity.login: "email" must be required: users log in with it',
  ],
  ['a password that is shown', people({ secret: text() }), 'person: identity.secret: "secret" must be a password()'],
  ['a role of another kind', people({ role: text() }), 'person: identity.role: "role" must be a roleField()'],
  [
    'a status without the active one',
    people({ on: choice(['A']) }, { status: 'on' }),
    'person: identity: status and activeStatus come together',
  ],
  [
    'a misspelt status',
    people({ on: choice(['ACTIVE']) }, { status: 'on', activeStatus: 'ACTVE' }),
    'person: identity.activeStatus: "on" cannot be "ACTVE"; did you mean "ACTIVE"?',
  ],
  ['no mark at all', [thing({ identity: 'login' })], 'thing: identity: must be an object, and is "login"'],
  [
    'an owner who is no user',
    [...people(), thing({ access: { list: user, get: owner('name') } })],
    'thing: access.get: owner("name"): the field holds no id of "person"',
  ],
  [
    'an owner whose resource is misspelt: said once, where it stands',
    [
      ...people(),
      thing({ fields: { byId: loosely(reference, 'presno') }, access: { list: owner('byId'), get: owner('byId') } }),
    ],
    'thing: field "byId": refers to "presno", which is not in the list of resources; did you mean "person"?',
  ],
  [
    'two of a kind',
    [...people(), ...people({}, {}).map((one) => ({ ...(one as object), name: 'other', path: '/others' }))],
    'other: identity: "person" is marked as "login" already',
  ],
]

const kinds = {
  'a resource': ofResources,
  'a list': ofLists,
  GraphQL: ofGraphql,
  identity: ofIdentity,
  'the audit': ofAudit,
  "the engine's tables": ofTables,
  'work of the engine': ofEngineWork,
}
for (const [of, rows] of Object.entries(kinds)) {
  describe(`a mistake in ${of}`, () => {
    for (const [mistake, list, ...says] of rows) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
  })
}

describe('what is right', () => {
  it('has no mistakes', () => {
    assert.deepEqual(mistakesOf(extending({})), [])
    assert.deepEqual(mistakesOf([thing({ children: { parts: { resource: 'part', by: 'thingId' } } }), part()]), [])
    const size = integer({ required: true, default: 1, read: role('ADMIN') })
    assert.deepEqual(mistakesOf([thing({ fields: { size } })]), [])
  })
})
