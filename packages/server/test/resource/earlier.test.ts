/** A declaration may name earlier versions of its parts; names that cannot be right are refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StartError } from '../../src/errors.ts'
import { choice, defineResource, derived, id, integer, password, reference, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'

type Change = { readonly [part: string]: unknown; readonly fields?: Fields }

/**
 * A resource without mistakes, with a change that may make one. The compiler, which would refuse
 * most of them, is not asked.
 */
function declare(name: string, { fields, ...change }: Change): DeclaredResource {
  const all = { name, fields: { id: id(), name: text(), ...fields }, access: {}, ...change }
  return defineResource<Fields, string>(all as never)
}
const thing = (change: Change = {}) => declare('thing', change)
const part = (change: Change = {}) =>
  declare('part', { ...change, fields: { thingId: reference('thing'), ...change.fields } })

/** Options whose values the compiler would refuse. */
const past = (options: object) => options as { readonly immutable?: boolean }
const mistakes: readonly (readonly [declarations: readonly DeclaredResource[], says: string])[] = [
  [[thing({ renamedForm: 'book' })], 'thing: no member "renamedForm"; did you mean "renamedFrom"?'],
  [[thing({ renamedFrom: 5 })], 'thing: renamedFrom: must be the name that it had, and is 5'],
  [[thing({ renamedFrom: ['book', ''] })], 'thing: renamedFrom: must be the name that it had, and is ""'],
  [[thing({ renamedFrom: 'part' }), part()], 'thing: renamedFrom: "part" is still declared'],
  [
    [thing({ fields: { size: text(past({ renamedForm: 'width' })) } })],
    'thing: field "size": no option "renamedForm"; did you mean "renamedFrom"?',
  ],
  [
    [thing({ fields: { size: text(past({ backfil: 'x' })) } })],
    'thing: field "size": no option "backfil"; did you mean "backfill"?',
  ],
  [
    [thing({ fields: { size: text(past({ renamedFrom: 5 })) } })],
    'thing: field "size": renamedFrom: must be the name that it had, and is 5',
  ],
  [
    [thing({ fields: { size: text(past({ renamedFrom: { L: 'LARGE' } })) } })],
    'thing: field "size": renamedFrom: must be the name that it had, and is an object',
  ],
  [
    [thing({ fields: { size: choice(['LARGE'], past({ renamedFrom: { L: 5 } })) } })],
    'thing: field "size": renamedFrom.L: must be a text, and is 5',
  ],
  [
    [thing({ fields: { size: text({ renamedFrom: 'name' }) } })],
    'thing: field "size": was "name", which is still declared',
  ],
  [
    [thing({ fields: { size: text({ renamedFrom: 'width' }), length: text({ renamedFrom: ['breadth', 'width'] }) } })],
    'thing: field "length": was "width", as "size" was',
  ],
  [
    [thing({ renamedFrom: 'book' }), part({ renamedFrom: ['book'] })],
    'part: renamedFrom: "book" is what "thing" was as well',
  ],
  [
    [thing({ fields: { size: choice(['LARGE'], { renamedFrom: { LARGE: 'LARGE' } }) } })],
    'thing: field "size": renamedFrom has the word "LARGE", which is still one of its words',
  ],
  [
    [thing({ fields: { size: choice(['LARGE'], past({ renamedFrom: { LARGE: 'BIG' } })) } })],
    'thing: field "size": renamedFrom makes "LARGE" "BIG"; the earlier word comes first: { BIG: \'LARGE\' }',
  ],
  [
    [thing({ fields: { size: choice(['LARGE'], past({ renamedFrom: ['width', { L: 'LAGRE' }] })) } })],
    'thing: field "size": renamedFrom makes "L" "LAGRE", which is none of its words; did you mean "LARGE"?',
  ],
  [
    [thing({ fields: { size: integer({ min: 1, backfill: 0 }) } })],
    'thing: field "size": its backfill must be at least 1',
  ],
  [
    [thing({ fields: { size: integer(past({ backfill: null })) } })],
    'thing: field "size": backfill: must be a value, or a function that makes one, and is null',
  ],
  [
    [thing(), part({ fields: { thingId: reference('thing', { backfill: 'nobody' }) } })],
    'part: field "thingId": its backfill must be an id',
  ],
  [
    [thing({ fields: { size: integer(past({ convert: 'text' })) } })],
    'thing: field "size": convert: must be a function, and is "text"',
  ],
  [
    [thing({ fields: { secret: password(past({ backfill: 'hidden' })) } })],
    'thing: field "secret": backfill: must be a function, and is "hidden"',
  ],
  [
    [thing({ fields: { size: derived(integer({ renamedFrom: 'width' }), () => 1) } })],
    'thing: field "size": renamedFrom means nothing for a field that is not stored',
  ],
]

describe('mistakes about earlier declarations', () => {
  for (const [declarations, says] of mistakes) {
    it(says, () => {
      const file = 'packages/server/test/resource/earlier.test.ts'
      const isRefusal = (error: unknown) => {
        assert.ok(error instanceof StartError, String(error))
        assert.equal(error.message, `The declarations have mistakes:\n  ${file}: ${says}`)
        return true
      }
      assert.throws(() => makeCatalog(declarations), isRefusal)
    })
  }

  it('are not found where there are none', () => {
    const fields = {
      code: text({ renamedFrom: ['key', 'isbn'], backfill: (row) => row.name, convert: (value) => `${value}` }),
      kind: choice(['LARGE'], { renamedFrom: ['size', { L: 'LARGE' }], backfill: 'LARGE' }),
      secret: password({ renamedFrom: 'pin', backfill: () => '!' }),
    }
    makeCatalog([
      thing({ renamedFrom: ['book', 'volume'], fields }),
      part({ renamedFrom: 'piece', fields: { thingId: reference('thing') } }),
    ])
  })
})
