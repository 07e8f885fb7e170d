/** Mistakes in the actions and hooks of a declaration: the start refuses each with a suggestion. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { id, integer, user } from '../../src/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const inAction = (action: unknown) => [thing({ access: { wake: user }, actions: { wake: action } })]
const run = async () => undefined

const ofActions: readonly Row[] = [
  ['a misspelt member', inAction({ run, inptu: {} }), 'thing: actions.wake: no member "inptu"; did you mean "input"?'],
  ['no work', inAction({ summary: 'Wake' }), 'thing: actions.wake: needs run'],
  ['work that is no function', inAction({ run: 'wake' }), 'thing: actions.wake.run: must be a function, and is "wake"'],
  ['a function alone', inAction(run), 'thing: actions.wake: must be an object, and is the function run'],
  [
    'an input with a misspelt option',
    inAction({ run, input: { days: loosely(integer, { mix: 3 }) } }),
    'thing: actions.wake.input.days: no option "mix"; did you mean "min"?',
  ],
  [
    'an input that is no field',
    inAction({ run, input: { days: integer } }),
    'thing: actions.wake.input.days: must be a field, such as text(), and is the function integer; call it: integer()',
  ],
  [
    'an input that nobody sends',
    inAction({ run, input: { days: id() } }),
    'thing: actions.wake.input.days: is a field that no caller sends',
  ],
  [
    'an input with min above max',
    inAction({ run, input: { days: integer({ min: 2, max: 1 }) } }),
    'thing: actions.wake.input.days: min (2) is above max (1)',
  ],
  [
    'a result that there is not',
    inAction({ run, returns: 'thnig' }),
    'thing: actions.wake: returns "thnig", which does not exist; did you mean "thing"?',
  ],
]

describe('a mistake in an action', () => {
  for (const [mistake, list, ...says] of ofActions) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
})

const ofHooks: readonly Row[] = [
  [
    'a misspelt name',
    [thing({ hooks: { beforeCraete: run } })],
    'thing: hooks: no member "beforeCraete"; did you mean "beforeCreate"?',
  ],
  [
    'one that is no function',
    [thing({ hooks: { beforeDelete: 'x' } })],
    'thing: hooks.beforeDelete: must be a function, and is "x"',
  ],
]

describe('a mistake in a hook', () => {
  for (const [mistake, list, ...says] of ofHooks) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
})
