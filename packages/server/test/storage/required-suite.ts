/**
 * A text that becomes required: stored blank texts count as missing, as they do in bodies, for
 * every way to make a field required.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StartError } from '../../src/errors.ts'
import { defineResource, id, text } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { blankCharacters } from '../../src/resource/fields/text.ts'
import { idOf, type MakeDatabase, tester } from './library.ts'

function declare(fields: Fields): Catalog {
  const card = defineResource({ name: 'card', fields: { id: id(), ...fields }, access: {} })
  return makeCatalog([card as unknown as DeclaredResource])
}

/** Texts by the number of their record. The first is one. */
const texts = ['a', ' b ', '', '   ', '\t\r\n', '\u00a0\u3000\ufeff', blankCharacters, '\u200b', null] as const
const blank = [3, 4, 5, 6, 7]
const missing = [...blank, 9]

const before = { note: text(), label: text({ default: '' }) }
const required = text({ required: true })
const [someOf, allOf] = [text({ required: true, backfill: ({ note }) => `of ${JSON.stringify(note)}` }), text()]

const named = (ids: readonly number[]) => `${ids.length} records \\(${ids.map(idOf).join(', ')}\\)`
const none = 'rows without a value have none to take'

type Refused = readonly [what: string, fields: Fields, message: RegExp]
const refused: readonly Refused[] = [
  [
    'an optional text',
    { ...before, note: required },
    new RegExp(`cards.note changes from text to text not null: ${none}: ${named(missing)}; give those records a value`),
  ],
  [
    'a text with a default',
    { ...before, label: required },
    new RegExp(`cards.label is required from now on: ${none}: ${named(blank)}; give those records a value`),
  ],
  [
    'a text with another name',
    { note: allOf, title: text({ required: true, renamedFrom: 'label' }) },
    new RegExp(`cards.title is required from now on: ${none}: ${named(blank)}`),
  ],
  [
    'a blank backfill',
    { ...before, note: text({ required: true, backfill: ' ' }) },
    new RegExp(`the new values of cards: note is required: ${named(missing)}`),
  ],
  [
    'a new text with a blank default',
    { ...before, more: text({ required: true, default: '' }) },
    /cards.more is new and required, and the rows that are there have no value for it: 9 records/,
  ],
  [
    'a new text with a blank backfill',
    { ...before, more: text({ required: true, backfill: () => '\u2003' }) },
    /the new values of cards: more is required: 9 records/,
  ],
]

export function requiredSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: what becomes required`, () => {
    async function begin() {
      const database = await make()
      const catalog = declare(before)
      const storage = await database.open(catalog)
      await storage.transaction(tester, async (transaction) => {
        for (const [i, one] of texts.entries())
          await transaction.insert(catalog.get('card'), { id: idOf(i + 1), note: one, label: one ?? 'c' })
      })
      await storage.close()
      return database
    }

    for (const [what, fields, message] of refused)
      test(`${what}: refused, and the records are named`, async () => {
        const database = await begin()
        for (const _again of [1, 2])
          await assert.rejects(
            async () => database.open(declare(fields)),
            (error) => error instanceof StartError && message.test(error.message),
          )
        await (await database.open(declare(before))).close()
        await database.remove()
      })

    test('a backfill is for blank texts too, and required they stay', async () => {
      const database = await begin()
      const catalog = declare({ note: allOf, label: someOf })
      for (const _again of [1, 2]) {
        const storage = await database.open(catalog)
        const rows = await storage.list(catalog.get('card'), {
          where: { kind: 'true' },
          sort: [{ field: 'id', descending: false }],
          limit: 20,
        })
        assert.deepEqual(
          rows.map(({ label }) => label),
          texts.map((one, i) => (blank.includes(i + 1) ? `of ${JSON.stringify(one)}` : (one ?? 'c'))),
        )
        await storage.close()
      }
      await database.remove()
    })

    test('a database of an earlier version, which did not note it, opens', async () => {
      const database = await begin()
      await database.writePast(
        `UPDATE bindery_meta SET value = replace(value, ',"blank":true', '') WHERE name = 'meanings'`,
      )
      await (await database.open(declare({ ...before, label: required }))).close()
      await database.remove()
    })
  })
}

test('white space is what a text is trimmed of', () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  assert.equal(all.filter((character) => character.trim() === '').join(''), blankCharacters)
})
