/**
 * Two declarations that share a name, a path or a table: one error at its place, which names the
 * other file.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, defineResource, id } from '../../src/index.ts'
import { findMistakes } from '../../src/resource/check.ts'

const at = 'packages/server/test/mistakes/twins.test.ts'
const thing = (names: { readonly name?: string; readonly path?: string; readonly plural?: string } = {}) =>
  defineResource({ name: 'thing', path: '/things', fields: { id: id() }, access: { get: anyone }, ...names })

describe('twins', () => {
  for (const [what, first, second, says] of [
    ['the name', {}, { path: '/others', plural: 'others' }, [`thing: name: "thing" is also declared in ${at}`]],
    ['the path', {}, { name: 'other' }, [`other: path: "/things" is also declared in ${at}`]],
    [
      'the table by its plural',
      {},
      { name: 'other', path: '/others', plural: 'things' },
      [`other: plural: the table of "thing" in ${at} has the name "things" too`],
    ],
    [
      'the table by its name',
      { plural: 'others' },
      { name: 'other', path: '/others' },
      [`other: name: the table of "thing" in ${at} has the name "others" too`],
    ],
    [
      'all of them',
      {},
      {},
      [`thing: name: "thing" is also declared in ${at}`, `thing: path: "/things" is also declared in ${at}`],
    ],
  ] as const)
    it(`by ${what}`, () => {
      const expected = says.map((one) => `${at}: ${one}`)
      assert.deepEqual(findMistakes([thing(first), thing(second)]), expected)
    })

  it('that are one: a resource that stands twice in the list', () => {
    const one = thing()
    assert.deepEqual(findMistakes([one, one]), [`${at}: thing: name: stands twice in the list of resources`])
  })
})
