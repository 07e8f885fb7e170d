/** Wrong rules of operations, as plain JavaScript passes them: the start refuses each. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, onlyWhen, owner, role, state, text, through, user, where } from '../../src/index.ts'
import { loosely, mistakesOf, notOne, part, thing } from './declaring.ts'

const admin = role('ADMIN')
const transitions = { close: { from: ['OPEN'], to: 'DONE' } }
const close = { list: user, get: user, close: user }
const inAccess = (rule: unknown) => [thing({ access: { list: user, get: rule } })]
const inUpdate = (rule: unknown) => [thing({ access: { list: user, get: user, update: rule } })]
const stateOf = (options: object) => loosely(state, ['OPEN', 'DONE'], { default: 'OPEN', transitions, ...options })
const inState = (options: object) => [thing({ fields: { size: stateOf(options) }, access: close })]

type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const ofRules: readonly Row[] = [
  ['a word', inAccess('anyone'), `thing: access.get: ${notOne} "anyone"; rules are written without quotes`],
  ['a rule that is not called', inAccess(role), `thing: access.get: ${notOne} the function role`],
  ['a field in place of a rule', inAccess(text()), `thing: access.get: ${notOne} an object`],
  [
    'a pair of rules for what changes nothing',
    inAccess({ before: user, after: user }),
    `thing: access.get: ${notOne} an object; only update and replace take { before, after }`,
  ],
  ['half a pair', inUpdate({ before: user }), 'thing: access.update: needs after'],
  [
    'a misspelt half',
    inUpdate({ before: user, after: user, aftre: user }),
    'thing: access.update: no member "aftre"; did you mean "after"?',
  ],
  [
    'a half that is no rule',
    inUpdate({ before: user, after: 'user' }),
    `thing: access.update.after: ${notOne} "user"; rules are written without quotes`,
  ],
  [
    'a half about no field',
    inUpdate({ before: user, after: loosely(owner, 'nmae') }),
    'thing: access.update.after: owner("nmae"): no such field; did you mean "name"?',
  ],
  ['no rule at all', inAccess(null), `thing: access.get: ${notOne} null`],
  ['a role that is no word', inAccess(loosely(role, 5)), 'thing: access.get: role(5): no such role'],
  [
    'a misspelt owner',
    inAccess(loosely(owner, 'nmae')),
    'thing: access.get: owner("nmae"): no such field; did you mean "name"?',
  ],
  [
    'a misspelt condition',
    inAccess(loosely(where, { nmae: 'x' })),
    'thing: access.get: where: no field "nmae"; did you mean "name"?',
  ],
  [
    'a condition of another type',
    inAccess(loosely(where, { name: true })),
    'thing: access.get: where: name must be a string',
  ],
  [
    'no condition',
    inAccess(loosely(where)),
    'thing: access.get: where: needs values of fields, such as { published: true }, and is given undefined',
  ],
  [
    'a word inside either',
    inAccess(loosely(anyOf, ['anyone', admin])),
    `thing: access.get: ${notOne} "anyone"; rules are written without quotes`,
  ],
  [
    'either without a list',
    inAccess(loosely(anyOf, admin, user)),
    'thing: access.get: anyOf: takes a list, anyOf([…, …]), and is given an object',
  ],
  [
    'either of one',
    inAccess(loosely(anyOf, [admin])),
    'thing: access.get: anyOf: takes two to eight rules, and is given 1',
  ],
  [
    'a misspelt option of either',
    inAccess(loosely(anyOf, [admin, user], { mesage: 'No' })),
    'thing: access.get: anyOf: no option "mesage"; did you mean "message"?',
  ],
  [
    'a word inside machine',
    inAccess(loosely(apiKey, 'role')),
    `thing: access.get: ${notOne} "role"; rules are written without quotes`,
  ],
  [
    'onlyWhen without a function',
    inAccess(loosely(onlyWhen, true, user, admin)),
    'thing: access.get: onlyWhen: begins with a function of the settings, and is given true',
  ],
  [
    'onlyWhen without another rule',
    inAccess(loosely(onlyWhen, () => true, user)),
    `thing: access.get: ${notOne} undefined`,
  ],
  [
    'a misspelt reference of through',
    [thing(), part({ access: { get: loosely(through, 'thingID', admin) } })],
    'part: access.get: through("thingID"): no reference of that name; did you mean "thingId"?',
  ],
  [
    'a misspelt field behind through',
    [thing(), part({ access: { get: through('thingId', owner('nane')) } })],
    'part: access.get: owner("nane"): no such field; did you mean "name"?',
  ],
  [
    'a misspelt operation',
    [thing({ access: { lsit: user } })],
    'thing: access.lsit: no such operation; did you mean "list"?; there are list, get, create, replace, update, delete, import, export, read, write',
  ],
  [
    'a move without its rule',
    inState({}).map((one) => ({ ...one, access: { get: user } })),
    'thing: field "size": transition "close" has no rule under access',
    'thing: actions.close: has no rule under access',
  ],
]

describe('a mistake in a rule of an operation', () => {
  for (const [mistake, list, ...says] of ofRules) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
})
