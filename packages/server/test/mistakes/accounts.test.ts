/**
 * Wrong arguments of `accounts`, and roles that an application defines: the start refuses each
 * mistake with its file and a suggestion.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { identityTablesOf } from '../../src/accounts/identity-tables.ts'
import {
  ability,
  accounts,
  anyone,
  choice,
  id,
  operator,
  password,
  role,
  roleField,
  text,
  user,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { declare, loosely, mistakesOf, notOne, thing } from './declaring.ts'

const roles = ['READER', 'LIBRARIAN', 'CURATOR']

const mark = { kind: 'login', login: 'email', secret: 'secret', role: 'role' }

/** Users with a change to their role, and to the rest. */
function usersWith(field: Field = roleField({ default: 'READER' }), change: object = {}) {
  const email = text({ required: true, unique: true, format: 'email' })
  const fields = { id: id(), email, secret: password({ required: true }), role: field }
  return declare({ name: 'person', path: '/people', fields, access: { create: anyone }, identity: mark, ...change })
}
const given = (said: unknown) => loosely(accounts, said) as readonly unknown[]
const users = usersWith()
/** Roles that are sets of abilities, with a change. */
const sets = (change: object = {}) => ({
  READER: [],
  TREASURER: ['fees:write'],
  BOARD: ['fees:write', 'teams:write'],
  ...change,
})
const withSets = (change: object = {}, said: object = {}) =>
  given({ roles: sets(change), operator: 'BOARD', users, ...said })

const noSets = ['accounts: roles: there must be one word at least', 'accounts: operator: no role "BOARD"']

const table: readonly (readonly [mistake: string, list: readonly unknown[], ...says: readonly string[]])[] = [
  ['none', given({ roles, users })],
  ['none, with an operator between others', given({ roles, operator: 'LIBRARIAN', users })],
  ['nothing', given(undefined), `accounts: must be an object, and is undefined`],
  ['no roles', given({ users }), `accounts: needs roles`],
  [
    'a misspelt member',
    given({ roles, users, operater: 'CURATOR' }),
    `accounts: no member "operater"; did you mean "operator"?`,
  ],
  [
    'an empty list',
    given({ roles: [], users: usersWith(roleField()) }),
    `accounts: roles: there must be one word at least`,
  ],
  ['a role twice', given({ roles: [...roles, 'READER'], users }), `accounts: roles: "READER" is there twice`],
  [
    'an operator that is no role',
    given({ roles, operator: 'CURTAOR', users }),
    'accounts: operator: no role "CURTAOR"; did you mean "CURATOR"?',
  ],
  ['users that are none', given({ roles, users: 5 }), `accounts: users: must be made by defineResource`],
  [
    'a resource that nobody logs in with',
    given({ roles, users: thing() }),
    `accounts: users: must be the resource of people who log in: identity: { kind: 'login', … }`,
  ],
  [
    'a default that is no role',
    given({ roles, users: usersWith(roleField({ default: 'REDAER' })) }),
    'person: field "role": its default must be one of READER, LIBRARIAN, CURATOR',
  ],
  [
    'the list itself in place of what it has',
    [given({ roles, users })],
    'the list of resources: number 1 is a list, and not made by defineResource; write ... before it',
  ],
  [
    'a role that is no word of GraphQL',
    [usersWith(choice(['member', 'board member']))],
    'person: identity.role: the role "board member" must be letters, digits and _, and begin with a letter',
  ],
  [
    'a misspelt operator',
    [usersWith(choice(['USER', 'ADMIN']), { identity: { ...mark, operator: 'ADMNI' } })],
    'person: identity.operator: no role "ADMNI"; did you mean "ADMIN"?',
  ],
  [
    'roles that no application says',
    [usersWith()],
    'person: field "role": roleField() has no roles: list users by ...accounts({ roles: [...], users })',
  ],
  [
    'a role of what is no user',
    [...given({ roles, users }), thing({ fields: { rank: roleField() } })],
    'thing: field "rank": roleField() is the field of users or memberships that their mark or tenancy names as role',
  ],
  [
    'a misspelt role in a rule',
    [...given({ roles, users }), thing({ access: { list: user, get: role('LIBRARAIN') } })],
    'thing: access.get: role("LIBRARAIN"): no such role; did you mean "LIBRARIAN"?',
  ],
  [
    'a misspelt hook and effect',
    given({ roles, users, hooks: { beforeLogin: () => {} }, effects: { greet: { on: ['signedup'], run: () => {} } } }),
    'accounts: hooks: no member "beforeLogin"; did you mean "beforeLogIn"?',
    'accounts: effects.greet.on: cannot be "signedup"; did you mean "signedUp"?',
  ],
  [
    'a hook that is no function, and an effect without its work',
    given({ roles, users, hooks: { beforeSignUp: true, limitMs: 0 }, effects: { greet: { on: ['signedUp'] } } }),
    'accounts: hooks.beforeSignUp: must be a function, and is true',
    'accounts: hooks.limitMs: must be a whole number from 1 to 2147483647, and is 0',
    'accounts: effects.greet: needs run',
  ],
  [
    'effects that follow nothing, wait the wrong way round, and are there already',
    given({
      roles,
      users: usersWith(roleField({ default: 'READER' }), { effects: { greet: { on: ['create'], run: () => {} } } }),
      effects: {
        greet: { on: [], run: () => {} },
        'no-name': { on: ['signedUp'], retries: { firstSeconds: 9, mostSeconds: 1 }, run: () => {} },
      },
    }),
    'accounts: effects.greet.on: names nothing that it follows',
    'accounts: effects.greet: person has an effect of this name already: give this one another',
    'accounts: effects.no-name: a name is camelCase letters and digits',
    'accounts: effects.no-name.retries: waits 9 s first and 1 s at most: give a longer mostSeconds',
  ],
  ['none, with sets of abilities', withSets()],
  ['none, with sets and keys alone', given({ roles: { A: ['a'], B: ['b'] }, operator: 'B', keys: true })],
  [
    'sets without an operator',
    given({ roles: sets(), users }),
    'accounts: needs operator: roles without an order do not say which of them operates the service; there are READER, TREASURER, BOARD',
  ],
  [
    'sets with a misspelt operator',
    withSets({}, { operator: 'BAORD' }),
    'accounts: operator: no role "BAORD"; did you mean "BOARD"?',
  ],
  [
    'an operator whose abilities every role has',
    withSets({}, { operator: 'READER' }),
    'accounts: operator: every role has all abilities of "READER", and would operate the service: give it one that the others lack',
  ],
  ['no sets', given({ roles: {}, operator: 'BOARD', users: usersWith(roleField()) }), ...noSets],
  [
    'an ability in place of a list',
    withSets({ COACH: 'teams:write' }),
    'accounts: roles.COACH: must be a list, and is "teams:write"',
  ],
  [
    'an ability twice',
    withSets({ COACH: ['teams:write', 'teams:write'] }),
    'accounts: roles.COACH: "teams:write" is there twice',
  ],
  [
    'a role in place of its abilities',
    withSets({ COACH: ['TREASURER'] }),
    'accounts: roles.COACH: "TREASURER" is a role: list its abilities in place of it',
  ],
  [
    'an ability with a space',
    withSets({ COACH: ['write teams'] }),
    'accounts: roles.COACH: the ability "write teams" must be letters, digits and _ . : -, and begin with a letter',
  ],
  [
    'a misspelt ability in a rule',
    [...withSets(), thing({ access: { list: user, get: ability('fees:wirte') } })],
    'thing: access.get: ability("fees:wirte"): no role has this ability; did you mean "fees:write"?',
  ],
  [
    'an ability that no role has, in the rule of a field',
    [...withSets(), thing({ fields: { note: text({ read: ability('medical') }) } })],
    'thing: field "note": read: ability("medical"): no role has this ability; there are fees:write, teams:write',
  ],
  [
    'an ability where roles are in order',
    [...given({ roles, users }), thing({ access: { list: user, get: ability('fees:write') } })],
    `thing: access.get: ability("fees:write"): no role has this ability; roles in order have none: write role('…'), or accounts({ roles: { ROLE: ['…'] }, … })`,
  ],
  [
    'an ability that is a number',
    [...withSets(), thing({ access: { list: user, get: loosely(ability, 5) } })],
    'thing: access.get: ability(5): no role has this ability; there are fees:write, teams:write',
  ],
  [
    'an ability in quotes',
    [...withSets(), thing({ access: { list: user, get: 'fees:write' } })],
    `thing: access.get: ${notOne} "fees:write"; did you mean ability('fees:write')?`,
  ],
]

describe('a mistake in accounts', () => {
  for (const [mistake, list, ...says] of table)
    it(mistake, () =>
      assert.deepEqual(
        mistakesOf(list).filter((one) => !one.includes('exactly one field')),
        says,
      ),
    )
})

describe('sets of abilities', () => {
  it('are no roles for a sign-up that would operate the service', () => {
    const list = withSets({}, { users: usersWith(roleField({ default: 'BOARD' })) }) as never
    assert.throws(
      () => identityTablesOf(makeCatalog(list)),
      /person: field "role": anyone who signs up would be BOARD, the role that operates the service: give the field another default/,
    )
  })
  it('give owners of keys no role, where none is the lowest', () => {
    const own = (sets: object) =>
      makeCatalog(given({ roles: sets, operator: 'B', keys: true }) as never).get('user').fields.role
    assert.deepEqual([own({ A: ['a'], B: ['b'] })?.required, own({ A: ['a'], B: ['b'] })?.default], [true, undefined])
    assert.equal(own({ A: [], B: ['b'] })?.default, 'A')
  })
})

describe('roles in the wrong order', () => {
  const catalogOf = (order: readonly string[], change: object = {}) => {
    const list = given({ roles: order, users: usersWith(undefined, change) }) as never
    return makeCatalog(list)
  }
  it('are refused where anyone may sign up, who would operate the service', () => {
    assert.throws(
      () => identityTablesOf(catalogOf(roles.toReversed())),
      /person: field "role": anyone who signs up would be READER, the role that operates the service/,
    )
  })
  it('are right where only operators make users', () => {
    const { roles: made } = catalogOf(roles.toReversed(), { access: { create: operator } })
    assert.deepEqual([made.lowest, made.operator], ['CURATOR', 'READER'])
  })
})
