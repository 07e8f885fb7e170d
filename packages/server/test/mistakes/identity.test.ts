/** Mistakes in the members of users, of the audit and of the other tables of the engine. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  choice,
  owner,
  password,
  reference,
  role,
  roleField,
  text,
  user,
  verifyAddress,
} from '../../src/index.ts'
import { loosely, mistakesOf, notOne, part, thing } from './declaring.ts'
import { type MistakeRow, testMistakes } from './mistake-rows.ts'

const at = 'packages/server/test/mistakes/declaring.ts'

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
const ofAudit: readonly MistakeRow[] = [
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
const ofTables: readonly MistakeRow[] = [
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
const ofEngineWork: readonly MistakeRow[] = [
  [
    "the engine's action in another resource",
    [thing({ access: { list: user, verify: user }, actions: { verify: verifyAddress } })],
    'thing: actions.verify: verifyAddress is for the resource of the log-in',
  ],
]
const ofIdentity: readonly MistakeRow[] = [
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

testMistakes({
  identity: ofIdentity,
  'the audit': ofAudit,
  "the engine's tables": ofTables,
  'work of the engine': ofEngineWork,
})

describe('what is right', () => {
  it('has no mistakes', () => assert.deepEqual(mistakesOf(extending({})), []))
})
