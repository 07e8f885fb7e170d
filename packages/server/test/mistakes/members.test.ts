/** Misspelt and wrong members of a declaration, at every level, and circles: each is refused at start, with what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  auditEventNames,
  choice,
  currentSession,
  endOtherSessions,
  equals,
  hash,
  id,
  integer,
  owner,
  password,
  reference,
  role,
  rotateKey,
  text,
  textList,
  timestamp,
  user,
  verifyAddress,
} from '../../src/index.ts'
import { declare, loosely, mistakesOf, part, thing } from './declaring.ts'

type Loose = Readonly<Record<string, unknown>>
type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const inList = (list: object) => [thing({ list: { style: 'page', ...list } })]
const inEntry = (entry: unknown, side = 'query') => [thing({ graphql: { [side]: { things2: entry } } })]

const ofResources: readonly Row[] = [
  ['a misspelt member', [thing({ addOnCraete: [] })], 'thing: no member "addOnCraete"; did you mean "addOnCreate"?'],
  [
    'a member of another level',
    [thing({ sortable: ['name'] })],
    'thing: no member "sortable"; there are name, plural, description, example, was, path, atRoot, fields, list, access, unique, concurrency, upsert, addOnCreate, follow, hooks, children, actions, effects, graphql, identity, messages, deprecated, deprecatedOperations',
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
    [thing({ follow: { nmae: () => '' } })],
    'thing: follow: no field "nmae"; did you mean "name"?',
  ],
  [
    'a following value without a function',
    [thing({ follow: { name: 'x' } })],
    'thing: follow.name: must be a function, and is "x"',
  ],
  [
    'a following value of a misspelt one',
    [thing({ follow: { name: (record: Loose) => record.nmae } })],
    'thing: follow.name: reads "nmae": no field "nmae"; did you mean "name"?',
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
    'thing: graphql.query.things2.access: must be a rule, such as anyone or user, and is "user"; rules are written without quotes',
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
/** Refresh tokens with a change, and what they need. */
function tokens(fields: object, mark: object = {}): unknown[] {
  const own = { sessionId: reference('visit'), hash: hash(), usedAt: timestamp() }
  const identity = { kind: 'refresh-token', session: 'sessionId', hash: 'hash', usedAt: 'usedAt', ...mark }
  const visit = { personId: reference('person'), at: timestamp(), note: text() }
  const session = {
    kind: 'session',
    owner: 'personId',
    expiresAt: 'at',
    lastUsedAt: 'at',
    userAgent: 'note',
    address: 'note',
  }
  return [
    ...people(),
    declare({ name: 'visit', fields: { id: id(), ...visit }, access: {}, identity: session }),
    declare({ name: 'renewal', fields: { id: id(), ...own, ...fields }, access: {}, identity }),
  ]
}
/** An audit with a change, and what it needs. */
function audited(fields: object, change: object = {}): unknown[] {
  const kept = reference('person', { readOnly: true, onDelete: 'keep' })
  const own = {
    at: timestamp({ setOn: 'create' }),
    event: choice(auditEventNames, { required: true }),
    whose: kept,
    who: kept,
    note: text(),
    notes: textList(),
  }
  const names = { at: 'at', event: 'event', user: 'whose', actor: 'who', credential: 'note', address: 'note' }
  const identity = { kind: 'audit', ...names, userAgent: 'note', details: 'notes' }
  const trace = { name: 'trace', path: '/traces', list: { style: 'cursor' }, access: { list: user } }
  return [...people(), declare({ ...trace, fields: { id: id(), ...own, ...fields }, identity, ...change })]
}
const ofAudit: readonly Row[] = [
  ['none', audited({})],
  [
    'a rule that would open it',
    audited({}, { access: { list: user, update: role('ADMIN'), delete: role('ADMIN') } }),
    'trace: access.update: audit events are only read: there are list, get and export',
    'trace: access.delete: audit events are only read: there are list, get and export',
  ],
  [
    'an action that would',
    audited({}, { access: { list: user, forget: role('ADMIN') }, actions: { forget: { run: () => undefined } } }),
    'trace: access.forget: audit events are only read: there are list, get and export',
  ],
  [
    'events that go with their user',
    audited({ whose: reference('person', { onDelete: 'delete' }) }),
    'trace: field "whose": must have onDelete: \'keep\': what happened stays as it was when the record that it names has gone',
  ],
  [
    'what the engine cannot know',
    audited({ reason: text({ required: true }) }),
    'trace: field "reason": must not be required: the engine knows no value for it',
  ],
  [
    'what may be there once',
    audited({ note: text({ unique: true }) }),
    'trace: field "note": must not be unique: the same thing may happen again',
  ],
  [
    'events of its own',
    audited({ event: choice(['a']) }),
    'trace: identity.event: "event" must be a choice(auditEventNames)',
  ],
  [
    'a record that would touch them',
    [...audited({}), part({ fields: { thingId: reference('trace', { touch: true }) } })],
    'trace: identity: field "thingId" of "part" must not touch audit events, which never change',
  ],
]
const ofEngineWork: readonly Row[] = [
  [
    'a session that is none',
    [thing({ fields: { now: currentSession() } })],
    'thing: field "now": currentSession() is for the resource of sessions',
  ],
  [
    "the engine's actions in another resource",
    [
      thing({
        access: { list: user, endOthers: user, rotate: user, verify: user },
        actions: { endOthers: endOtherSessions, rotate: rotateKey, verify: verifyAddress },
      }),
    ],
    'thing: actions.endOthers: endOtherSessions is for the resource of sessions',
    'thing: actions.rotate: rotateKey is for the resource of API keys',
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
    'person: identity.login: "email" must be required: nobody can log in without it',
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
    'a log-in by others that two may share',
    [
      ...people(),
      declare({
        name: 'way',
        fields: { id: id(), personId: reference('person'), issuer: text(), subject: text() },
        access: {},
        identity: { kind: 'linked-account', owner: 'personId', issuer: 'issuer', subject: 'subject' },
      }),
    ],
    "way: identity: must be unique by issuer and subject: unique: [['issuer', 'subject']]",
  ],
  ['a hash that is none', tokens({ hash: text() }), 'renewal: identity.hash: "hash" must be a hash()'],
  [
    'a session that is none',
    tokens({ sessionId: reference('person') }),
    'renewal: identity.session: "sessionId" must be a reference to the resource of sessions',
  ],
  ['a time that is none', tokens({ usedAt: text() }), 'renewal: identity.usedAt: "usedAt" must be a timestamp'],
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
    [
      ...tokens({}),
      part({
        fields: { sessionId: reference('visit'), hash: hash(), usedAt: timestamp(), thingId: reference('visit') },
        identity: { kind: 'refresh-token', session: 'sessionId', hash: 'hash', usedAt: 'usedAt' },
      }),
    ],
    'part: identity: "renewal" is marked as "refresh-token" already',
  ],
]

const kinds = {
  'a resource': ofResources,
  'a list': ofLists,
  GraphQL: ofGraphql,
  identity: ofIdentity,
  'the audit': ofAudit,
  'work of the engine': ofEngineWork,
}
for (const [of, rows] of Object.entries(kinds)) {
  describe(`a mistake in ${of}`, () => {
    for (const [mistake, list, ...says] of rows) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
  })
}

describe('what is right', () => {
  it('has no mistakes', () => {
    assert.deepEqual(mistakesOf(tokens({})), [])
    assert.deepEqual(mistakesOf([thing({ children: { parts: { resource: 'part', by: 'thingId' } } }), part()]), [])
    const size = integer({ required: true, default: 1, read: role('ADMIN') })
    assert.deepEqual(mistakesOf([thing({ fields: { size } })]), [])
  })
})
