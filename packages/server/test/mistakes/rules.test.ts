/** Mistakes in rules that the compiler does not see: the start names each with file and field. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  allOf,
  anyone,
  caller,
  can,
  every,
  field,
  integer,
  json,
  not,
  now,
  previous,
  reference,
  some,
  text,
  textList,
  through,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { resources } from '../application/resources/index.ts'
import { loosely, mistakesOf, notOne, part, thing } from './declaring.ts'

const fields = {
  notes: json(),
  size: integer(),
  other: integer(),
  tags: textList(),
  at: timestamp(),
  ownerId: reference('member'),
}
const children = { parts: { resource: 'part', by: 'thingId' } }
const ruled = (rule: unknown, more: object = {}) => [
  ...resources,
  thing({ fields, children, access: { list: user, get: rule, ...more } }),
  part({ fields: { rank: integer() }, access: { list: user, get: user, update: user } }),
]
const wrong = (values: unknown) => loosely(where, values)

const rows: readonly (readonly [string, readonly unknown[], ...says: readonly string[]])[] = [
  [
    'a field that there is not',
    ruled(wrong({ siez: 5 })),
    'thing: access.get: where: no field "siez"; did you mean "size"?',
  ],
  [
    'an operator that the field has not',
    ruled(wrong({ size: { gtt: 5 } })),
    'thing: access.get: where: "size" has no operator "gtt"; did you mean "gt"?; there are eq, ne, gt, gte, lt, lte, in, null',
  ],
  [
    'a path of a JSON field',
    ruled(wrong({ notes: { path: 'a.b' } })),
    'thing: access.get: where: "notes" is JSON, which a rule does not look into: keep the value that decides in a field of its own',
  ],
  [
    'a value of a JSON field',
    ruled(wrong({ notes: 'x' })),
    'thing: access.get: where: "notes" is JSON, which a rule does not look into: keep the value that decides in a field of its own',
  ],
  [
    'an operator of texts on a number',
    ruled(wrong({ size: { contains: '5' } })),
    'thing: access.get: where: "size" has no operator "contains"; there are eq, ne, gt, gte, lt, lte, in, null',
  ],
  [
    'a value of another type',
    ruled(wrong({ size: { gte: '5' } })),
    'thing: access.get: where: size must be an integer',
  ],
  [
    'a list that is none',
    ruled(wrong({ size: { in: 5 } })),
    'thing: access.get: where: size: in must be a list of values',
  ],
  [
    'a wrong value in a list',
    ruled(wrong({ size: { in: [5, 'a'] } })),
    'thing: access.get: where: size must be an integer',
  ],
  ['no operator', ruled(wrong({ size: {} })), 'thing: access.get: where: size: needs an operator, such as { gte: 5 }'],
  [
    'null that is a word',
    ruled(wrong({ size: { null: 'yes' } })),
    'thing: access.get: where: size: null must be true or false',
  ],
  ['an item that is no text', ruled(wrong({ tags: { contains: 5 } })), 'thing: access.get: where: tags must be a text'],
  [
    'another field that there is not',
    ruled(wrong({ size: { gt: field('othre') } })),
    'thing: access.get: where: field("othre"): no such field; did you mean "other"?',
  ],
  [
    'another field of another type',
    ruled(wrong({ size: { gt: field('at') } })),
    'thing: access.get: where: field("at") cannot be compared with "size": they are of two types',
  ],
  [
    'a field of users that there is not',
    ruled(wrong({ size: caller('emial') })),
    'thing: access.get: where: caller("emial"): no such field in "member"; did you mean "email"?',
  ],
  [
    'a value of the caller of another type',
    ruled(wrong({ size: caller('email') })),
    'thing: access.get: where: caller("email") cannot be compared with "size": they are of two types',
  ],
  [
    'the id of the caller beside a number',
    ruled(wrong({ size: caller('id') })),
    'thing: access.get: where: caller("id") cannot be compared with "size": they are of two types',
  ],
  [
    'the password of the caller',
    ruled(wrong({ name: caller('password') })),
    'thing: access.get: where: caller("password"): the field has no value that rules may see',
  ],
  [
    'the time beside a number',
    ruled(wrong({ size: { lt: now() } })),
    'thing: access.get: where: now() is compared with a timestamp or a date, and "size" is neither',
  ],
  [
    'the record before, where there is none',
    ruled(wrong({ size: previous('size') })),
    'thing: access.get: where: previous() is for the rule `after` of an update or replace',
  ],
  [
    'no children of that name',
    ruled(some('prats' as 'parts', user)),
    'thing: access.get: some("prats"): no children of that name; did you mean "parts"?',
  ],
  [
    'a field of the records below',
    ruled(every('parts', where({ rnak: 5 }))),
    'thing: access.get: where: no field "rnak"; did you mean "rank"?',
  ],
  [
    'a reference that there is not',
    ruled(can('ownreId')),
    'thing: access.get: can("ownreId"): no reference of that name; did you mean "ownerId"?',
  ],
  [
    'an operation that its resource has not',
    ruled(can('updaet', 'ownerId')),
    'thing: access.get: can(\'updaet\', "ownerId"): "member" has no rule for "updaet"; did you mean "update"?',
  ],
  [
    'a mistake below not',
    ruled(not(wrong({ siez: 5 }) as Rule)),
    'thing: access.get: where: no field "siez"; did you mean "size"?',
  ],
  [
    'a word in allOf',
    ruled(loosely(allOf, [user, 'anyone'])),
    `thing: access.get: ${notOne} "anyone"; rules are written without quotes`,
  ],
  [
    'one rule in allOf',
    ruled(loosely(allOf, [user])),
    'thing: access.get: allOf: takes two to eight rules, and is given 1',
  ],
  [
    'a misspelt operation under forbid',
    ruled(user, { forbid: { wirte: user } }),
    'thing: access.forbid.wirte: no such operation; did you mean "write"?; there are list, get, create, replace, update, delete, import, export, read, write',
  ],
  [
    'a forbid of nothing',
    ruled(user, { forbid: {} }),
    'thing: access.forbid: forbids nothing: leave it out, or name an operation',
  ],
  [
    'a forbid of operations without a rule',
    ruled(user, { forbid: { delete: user, write: user, read: user } }),
    'thing: access.forbid.delete: no operation that it forbids has a rule under access; there are rules for list, get',
    'thing: access.forbid.write: no operation that it forbids has a rule under access; there are rules for list, get',
  ],
  [
    'a rule under forbid that is a word',
    ruled(user, { create: user, forbid: { write: 'user' } }),
    `thing: access.forbid.write: ${notOne} "user"; rules are written without quotes`,
  ],
  [
    'a rule of a field that asks for no reference',
    [thing({ fields: { size: integer({ read: loosely(can, 'name') as never }) } })],
    'thing: field "size": read: can("name"): no reference of that name',
  ],
]

describe('a mistake in a rule', () => {
  for (const [what, list, ...says] of rows) it(what, () => assert.deepEqual(mistakesOf(list), says))

  it('two rules that ask each other', () => {
    const first = thing({ fields: { partId: reference('part') }, access: { list: user, get: can('get', 'partId') } })
    const second = part({ access: { list: user, get: can('get', 'thingId') } })
    assert.deepEqual(mistakesOf([first, second]), [
      'thing: access.get: asks by can() for what this rule decides itself',
      'part: access.get: asks by can() for what this rule decides itself',
    ])
  })

  it('is none where a rule leads to others of its kind', () => {
    const tree = thing({
      fields: { aboveId: reference('thing') },
      access: { list: user, get: through('aboveId', where({ name: 'top' })), update: can('get', 'aboveId') },
    })
    assert.deepEqual(mistakesOf([tree]), [])
    assert.deepEqual(mistakesOf([thing({ fields: { label: text() }, access: { read: anyone, write: user } })]), [])
  })
})
