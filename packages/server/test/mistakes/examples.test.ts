/**
 * Descriptions and examples for the documents: the start refuses an example that its field would
 * not accept.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { equals, integer, text, user } from '../../src/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const mistakes: readonly (readonly [what: string, of: readonly unknown[], says: string])[] = [
  [
    'an option of another type',
    [thing({ fields: { size: loosely(text, { min: 3 }) } })],
    'thing: field "size": no option "min"; there are renamedFrom, backfill, convert, required, default, unique, immutable, readOnly, keepOnReplace, hidden, returned, read, write, personal, description, example, deprecated, maxLength, format, pattern',
  ],
  ['words that are none', [thing({ description: 5 })], 'thing: description: must be a text, and is 5'],
  [
    'an example of no record',
    [thing({ example: 'Emma' })],
    'thing: example: must be an object with values of fields, and is "Emma"',
  ],
  [
    'an example of no field',
    [thing({ example: { nmae: 'A' } })],
    'thing: example: no field "nmae"; did you mean "name"?',
  ],
  ['an example of another type', [thing({ example: { name: 5 } })], 'thing: example: name must be a string'],
  [
    'an example that the field refuses',
    [thing({ fields: { size: integer({ max: 5, example: 6 }) } })],
    'thing: field "size": its example must be from -2147483648 to 5',
  ],
  [
    'an example that is no value of the field',
    [thing({ fields: { size: loosely(text, { example: 5 }) } })],
    'thing: field "size": its example must be a string',
  ],
  [
    'an example that no filter takes',
    [
      thing({
        fields: { size: integer() },
        list: { style: 'page', filters: { size: equals('size', { example: 'big' }) } },
      }),
    ],
    'thing: list.filters.size: its example must be an integer',
  ],
  [
    'an example of no input',
    [
      thing({
        access: { list: user, get: user, grow: user },
        actions: { grow: { input: { by: integer() }, example: { by: 1, bye: 2 }, run: () => undefined } },
      }),
    ],
    'thing: actions.grow.example: no field "bye"; did you mean "by"?',
  ],
]
for (const [what, list, says] of mistakes) it(what, () => assert.deepEqual(mistakesOf(list), [says]))
