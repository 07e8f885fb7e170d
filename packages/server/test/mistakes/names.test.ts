/**
 * Conflicting names of two things: the start finds each in the declarations, before it builds
 * anything from them. `resource/reserved-words.test.ts` has the words of the engine.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, reference, user } from '../../src/index.ts'
import { servedPaths } from '../../src/resource/words/served-paths.ts'
import { mistakesOf, part, thing } from './declaring.ts'

const file = 'packages/server/test/mistakes/declaring.ts'
const access = { list: user, get: user, create: user }

const rows: readonly (readonly unknown[])[] = [
  [
    'tables that differ in case alone',
    [thing({ name: 'fooBar', path: '/a' }), thing({ name: 'fooBAR', path: '/b' })],
    `fooBAR: name: the table of "fooBar" in ${file} has the name "foo_bars" too`,
  ],
  [
    'a table that SQLite has beside another one',
    [
      thing({ list: { style: 'page', search: ['name'] } }),
      thing({ name: 'word', plural: 'thingsWords', path: '/words' }),
    ],
    `word: plural: its table "things_words" would be one that the table of "thing" in ${file} has beside it; give it another plural`,
  ],
  [
    'a field of GraphQL that two declare',
    [thing({ graphql: { query: { all: 'list' } } }), part({ graphql: { query: { all: 'list' } } })],
    `part: graphql.query.all: "thing" in ${file} has a field of this name too`,
  ],
  [
    'children that differ in case alone',
    [
      thing({
        children: { someParts: { resource: 'part', by: 'thingId' }, somePARTS: { resource: 'part', by: 'otherId' } },
      }),
      part({ fields: { otherId: reference('thing') } }),
    ],
    'thing: children.somePARTS: "someParts" has the path "some-parts" too',
  ],
  [
    'a list that is never null',
    [thing({ graphql: { query: { all: { operation: 'list', nonNull: true } } } })],
    'thing: graphql.query.all: nonNull is for a mutation that answers with a record',
  ],
  ...servedPaths
    .filter(({ operations }) => operations.length > 0)
    .map(({ path, mount, use }) => [
      `the path ${path}`,
      [thing({ path: path.replace(/\/:.*/, ''), atRoot: mount === 'root', access })],
      `thing: path: the engine uses "${path}" for ${use}; choose another`,
    ]),
]

describe('names that are taken', () => {
  for (const [what, list, says] of rows as readonly (readonly [string, readonly unknown[], string])[])
    it(what, () => assert.deepEqual(mistakesOf(list), [says]))

  it('are not those that only look so', () => {
    const page = { list: { style: 'page', search: ['name'] } }
    for (const list of [
      [thing({ path: '/docs' })],
      [thing({ path: '/batch' })],
      [thing(page), thing({ name: 'wordOfThing', path: '/words' })],
      [thing(), thing({ name: 'word', plural: 'thingsWords', path: '/words' })],
      [thing({ name: 'subscription' })],
      [thing({ name: 'fooBar', path: '/a' }), thing({ name: 'foobar', path: '/b' })],
      [thing({ access: { list: anyone } }), part({ graphql: { query: { things: 'list' } } })],
    ])
      assert.deepEqual(mistakesOf(list), [])
  })
})
