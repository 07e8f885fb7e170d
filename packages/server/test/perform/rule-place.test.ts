/** The line of a rule is found in the text of its declaration, and in no other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineOfRule } from '../../src/perform/explain/rule-place.ts'

const text = [
  "import { defineResource } from 'bindery-server'",
  '',
  "// access: { update: 'no', name: 'cup' }",
  'export const cups = defineResource({',
  "  name: 'cup',",
  "  description: 'It has { access: 1 }, and a \\' too',",
  '  fields: {',
  '    size: integer({ min: 1, max: 9 / 3 }),',
  '    code: text({',
  '      pattern: /[/}]\\}{2}/,',
  '      write: role("EDITOR"),',
  '    }),',
  '  },',
  '  onWrite: { full: ({ size }) => (size > 3 ? `{\\`` : null) },',
  '  access: {',
  '    read: anyone, // update: anyone',
  '    get: anyOf([where({ delete: true }), user]),',
  '    update: { before: user,',
  '      after: where({ size: 1 }) },',
  "    'write': editable,",
  '  },',
  '})',
]
const lineOf = (at: string, { name = 'cup', line = 4 } = {}) => lineOfRule(text.join('\n'), { name, line }, at)

describe('the line of a rule', () => {
  it('is that of its operation, or of the word that stands for it', () => {
    const found = ['access.get', 'access.get.anyOf[1]', 'access.list', 'access.update.before', 'access.update.after']
    assert.deepEqual(
      found.map((at) => lineOf(at)),
      [17, 17, 16, 18, 19],
    )
    assert.deepEqual([lineOf('access.delete'), lineOf('access.ship'), lineOf('fields.code.write')], [20, 15, 11])
  })

  it('is unknown where another declaration is there, or none', () => {
    assert.deepEqual([lineOf('tenant'), lineOf('access.get', { name: 'mug' })], [undefined, undefined])
    assert.deepEqual([lineOf('access.get', { line: 16 }), lineOf('access.get', { line: 90 })], [undefined, undefined])
    assert.equal(lineOfRule('', { name: 'cup', line: Number.NaN }, 'access.get'), undefined)
  })
})
