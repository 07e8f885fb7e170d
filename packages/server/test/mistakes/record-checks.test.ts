/** Mistakes in the checks of a record: the start refuses each, with file and check. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { derived, integer, role, text } from '../../src/index.ts'
import { mistakesOf, thing } from './declaring.ts'

const message = 'It is not right'
const checked = (check: object, name = 'right') => [
  thing({
    fields: {
      size: integer(),
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
