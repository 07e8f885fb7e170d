/** Mistakes in the checks of a record: the start refuses each, with file and check. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  allOf,
  anyOf,
  caller,
  derived,
  field,
  integer,
  not,
  now,
  previous,
  role,
  text,
  timestamp,
  where,
} from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const message = 'It is not right'
const checked = (check: object, name = 'right') => [
  thing({
    fields: {
      size: integer(),
      at: timestamp(),
      hidden: text({ hidden: true }),
      price: integer({ read: role('ADMIN') }),
      twice: derived(integer(), ({ size }) => size * 2),
    },
    checks: { [name]: check },
  }),
]
type Sample = { readonly size: number; readonly twice: number; readonly sise: number }
const right = ({ size }: Sample) => size > 0

const rows: readonly (readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]])[] = [
  ['none', checked({ require: right, at: 'size', message })],
  [
    'the time, which it says that it needs',
    checked({ require: (_: Sample, { now }: { now: string }) => now > '2020', clock: true, message }),
  ],
  ['no message', checked({ require: right }), 'thing: checks.right: needs message'],
  ['no condition', checked({ message }), 'thing: checks.right: needs require'],
  [
    'a misspelt member',
    checked({ requires: right, require: right, message }),
    'thing: checks.right: no member "requires"; did you mean "require"?',
  ],
  [
    'a misspelt name',
    checked({ require: right, message }, 'is right'),
    'thing: checks.is right: a name is camelCase letters and digits',
  ],
  [
    'a number',
    checked({ require: 5, message }),
    'thing: checks.right.require: must be a condition, a rule or a function, and is 5',
  ],
  ['a condition', checked({ require: { size: { gt: field('price'), ne: 5 }, name: 'a', at: { lt: now() } }, message })],
  ['a rule', checked({ require: not(allOf([where({ size: 5 }), where({ name: null })])), message })],
  [
    'a misspelt field of a condition',
    checked({ require: { sise: 5 }, message }),
    'thing: checks.right: require: no field "sise"; did you mean "size"?',
  ],
  [
    'a misspelt operator',
    checked({ require: { size: { gtt: 5 } }, message }),
    'thing: checks.right: require: "size" has no operator "gtt"; did you mean "gt"?; there are eq, ne, gt, gte, lt, lte, in, null',
  ],
  [
    'another field that there is not',
    checked({ require: { size: { gt: field('prise') } }, message }),
    'thing: checks.right: require: field("prise"): no such field; did you mean "price"?',
  ],
  [
    'the record before',
    checked({ require: { size: { gt: previous('size') } }, message }),
    'thing: checks.right: require: previous() is for the rule `after` of an update or replace',
  ],
  [
    'a misspelt field in a rule',
    checked({ require: not(loosely(where, { sise: 5 }) as Rule), message }),
    'thing: checks.right: require: where: no field "sise"; did you mean "size"?',
  ],
  [
    'a rule about the caller',
    checked({ require: anyOf([role('ADMIN'), where({ size: 5 })]), message }),
    'thing: checks.right: require: is about the caller, and a check can only be about the record',
  ],
  [
    'a value of the caller',
    checked({ require: { name: caller('id') }, message }),
    'thing: checks.right: require: is about the caller, and a check can only be about the record',
  ],
  [
    'the clock of a condition',
    checked({ require: { at: { lt: now() } }, clock: true, message }),
    'thing: checks.right: clock: is for a function: a condition compares with now()',
  ],
  [
    'a misspelt field that it reads',
    checked({ require: ({ sise }: Sample) => sise > 0, message }),
    'thing: checks.right: require: reads "sise": no field "sise"; did you mean "size"?',
  ],
  [
    'a field that is not stored',
    checked({ require: ({ twice }: Sample) => twice > 0, message }),
    'thing: checks.right: require: reads "twice", which is not stored',
  ],
  [
    'a misspelt field at which it is told',
    checked({ require: right, at: 'sise', message }),
    'thing: checks.right: at: no field "sise"; did you mean "size"?',
  ],
  [
    'a field that is never shown',
    checked({ require: right, at: 'hidden', message }),
    'thing: checks.right: at: "hidden" is never shown, so nothing may depend on it',
  ],
  [
    'a field that some callers may not read',
    checked({ require: right, at: 'price', message }),
    'thing: checks.right: at: some callers may not read "price": name another field, or none',
  ],
  [
    'the clock',
    checked({ require: () => Date.now() > 0, clock: true, message }),
    'thing: checks.right: require: reads the clock by Date.now(); use now: (record, { now }) => …, with clock: true',
  ],
  [
    'the time without saying so',
    checked({ require: (_: Sample, { now }: { now: string }) => now > '2020', message }),
    'thing: checks.right: require: asks for now: say clock: true beside it',
  ],
  [
    'no verdict',
    checked({ require: ({ size }: Sample) => size, message }),
    'thing: checks.right: require: must return true or false, and returns 1 for a sample record',
  ],
  [
    'a promise',
    checked({ require: async () => true, message }),
    'thing: checks.right: require: returns a promise: it reads the record alone, and waits for nothing',
  ],
]

describe('a check of a record', () => {
  for (const [mistake, of, ...says] of rows) it(mistake, () => assert.deepEqual(mistakesOf(of), says))
})
