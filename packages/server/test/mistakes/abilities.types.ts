/**
 * Compile-time tests of roles that are sets of abilities. A role, an ability or an operator that
 * the application does not define must not compile, wherever it is in a list. The last list is
 * right.
 */
import {
  ability,
  accounts,
  allOf,
  anyOf,
  anyone,
  apiKey,
  defineResource,
  defineResources,
  id,
  not,
  onlyWhen,
  owner,
  password,
  reference,
  role,
  roleField,
  text,
  through,
  user,
} from '../../src/index.ts'
import type { ActingCaller } from '../../src/resource/code/acting-caller.ts'

const people = defineResource({
  name: 'person',
  path: '/people',
  fields: {
    id: id(),
    email: text({ required: true, unique: true }),
    secret: password({ required: true, write: ability('people:write') }),
    role: roleField({ default: 'GUEST', write: ability('people:write') }),
  },
  identity: { kind: 'login', login: 'email', secret: 'secret', role: 'role' },
  access: { create: anyone, get: anyOf([owner('id'), ability('people:write')]) },
})
const sets = { GUEST: [], COACH: ['teams:write'], BOARD: ['teams:write', 'people:write'] } as const
const said = accounts({ roles: sets, operator: 'BOARD', users: people })
export const inPlace = accounts({ roles: { GUEST: [], BOARD: ['people:write'] }, operator: 'BOARD', users: people })

// @ts-expect-error sets need an operator
accounts({ roles: { GUEST: [], BOARD: ['people:write'] }, users: people })
// @ts-expect-error an operator that is no role
accounts({ roles: { GUEST: [], BOARD: ['people:write'] }, operator: 'BAORD', users: people })
// @ts-expect-error an ability in place of a list
accounts({ roles: { GUEST: [], BOARD: 'people:write' }, operator: 'BOARD', users: people })
// @ts-expect-error a misspelt ability in an extension
accounts({ roles: sets, operator: 'BOARD', users: people, keys: { access: { list: ability('people:wirte') } } })
// @ts-expect-error a misspelt role in one
accounts({ roles: sets, operator: 'BOARD', users: people, audit: { access: { list: role('BAORD') } } })
// @ts-expect-error an ability that no role has, in the rule of users
defineResources([...accounts({ roles: { GUEST: [], BOARD: ['teams:write'] }, operator: 'BOARD', users: people })])
// @ts-expect-error an ability where roles are in order
defineResources([...accounts({ roles: ['GUEST', 'BOARD'], users: people })])

declare const caller: ActingCaller
export const asks = [said.has(caller, 'people:write'), said.has(caller, 'COACH')]
// @ts-expect-error a misspelt ability in an action or a hook
said.has(caller, 'people:wirte')
// @ts-expect-error a misspelt role
said.has(caller, 'BAORD')
// @ts-expect-error an ability where roles are in order
accounts({ roles: ['GUEST', 'ADMIN'] }).has(caller, 'people:write')

const base = { name: 'team', path: '/teams' } as const
const wrong = ability('teams:wirte')
const fields = { id: id(), name: text(), coachId: reference('person') }

// @ts-expect-error in a rule
defineResources([...said, defineResource({ ...base, fields, access: { get: user, update: wrong } })])
// @ts-expect-error a role in place of an ability
defineResources([...said, defineResource({ ...base, fields, access: { get: user, update: ability('COACH') } })])
// @ts-expect-error an ability in place of a role
defineResources([...said, defineResource({ ...base, fields, access: { get: user, update: role('teams:write') } })])
// @ts-expect-error inside anyOf
defineResources([...said, defineResource({ ...base, fields, access: { get: anyOf([owner('coachId'), wrong]) } })])
// @ts-expect-error inside allOf
defineResources([...said, defineResource({ ...base, fields, access: { get: allOf([owner('coachId'), wrong]) } })])
// @ts-expect-error inside not
defineResources([...said, defineResource({ ...base, fields, access: { get: not(wrong) } })])
// @ts-expect-error in forbid
defineResources([...said, defineResource({ ...base, fields, access: { get: user, forbid: { read: wrong } } })])
// @ts-expect-error for all reads
defineResources([...said, defineResource({ ...base, fields, access: { read: wrong } })])
// @ts-expect-error inside apiKey
defineResources([...said, defineResource({ ...base, fields, access: { get: apiKey(wrong) } })])
// @ts-expect-error inside through
defineResources([...said, defineResource({ ...base, fields, access: { get: through('coachId', wrong) } })])
// @ts-expect-error inside onlyWhen
defineResources([...said, defineResource({ ...base, fields, access: { get: onlyWhen(() => true, user, wrong) } })])
// @ts-expect-error in a half of a rule
defineResources([...said, defineResource({ ...base, fields, access: { update: { before: user, after: wrong } } })])
const asked = { read: wrong }
// @ts-expect-error in the rule of a field
defineResources([...said, defineResource({ ...base, fields: { id: id(), one: text(asked) }, access: {} })])

export const right = defineResources([
  ...accounts({
    roles: sets,
    operator: 'BOARD',
    users: people,
    keys: { access: { list: anyOf([owner('userId'), ability('people:write')]) } },
    sessions: { access: { list: role('COACH') } },
  }),
  defineResource({
    ...base,
    fields: { ...fields, note: text({ read: ability('teams:write'), write: role('BOARD') }) },
    access: {
      get: anyOf([owner('coachId'), role('GUEST')]),
      update: { before: ability('teams:write'), after: role('COACH') },
      delete: through('coachId', anyOf([owner('id'), ability('people:write')])),
    },
  }),
])
