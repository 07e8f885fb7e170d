/** Values that are far too long are refused by their length, before any other work on them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parametersOf } from '../../src/graphql/schema/filter-input.ts'
import { parseList } from '../../src/operation/list-query.ts'
import { onAllRecords } from '../../src/operation/visible-fields.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { resources } from '../application/resources/index.ts'
import { readsOfLong } from '../helpers/watch-calls.ts'

const edition = makeCatalog(resources).get('edition')
const seen = { resource: edition, visible: new Set(edition.fieldNames), visibleWhere: onAllRecords }
const parse = (name: string, text: string) => parseList(seen, new Map([[name, text]]))
const long = 1_000_000

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['q', '😀'.repeat(long), /^q must be at most 256 characters$/],
  ['title[contains]', '😀'.repeat(long), /^title\[contains\] must be at most 1000 characters$/],
  ['title', '\u0301\u0316'.repeat(long), /^title must be at most 1000 characters$/],
  ['sort', ','.repeat(long), /^Cannot sort by nothing; sortable: /],
]
for (const [name, text, message] of refused) {
  test(`${name} of a million characters`, () => {
    const reads = readsOfLong(10_000, () => assert.throws(() => parse(name, text), { message }))
    assert.ok(reads <= 2, `it is read ${reads} times`) // to cut it at its commas
  })
}

test('a list of GraphQL with far too many values', () => {
  let reads = 0
  const values = new Proxy(
    Array.from({ length: long }, () => 'a'),
    {
      get(target, name, receiver) {
        reads += 1
        return Reflect.get(target, name, receiver) as unknown
      },
    },
  )
  const args = { filter: { title: { in: values } } } // the filter goes beside the other parameters
  assert.throws(() => parseList({ ...seen, tree: args.filter }, parametersOf(edition, args)), {
    message: 'title[in] takes at most 100 values',
  })
  assert.ok(reads < 1_000, `${reads} looks at the list`)
})

test('the lengths that are allowed: characters, however many code units each has', () => {
  parse('q', '😀'.repeat(256))
  assert.throws(() => parse('q', '😀'.repeat(257)), { message: 'q must be at most 256 characters' })
  parse('title', `${'😀'.repeat(999)}a`)
  assert.throws(() => parse('title', `${'😀'.repeat(1000)}a`), { message: 'title must be at most 1000 characters' })
  parse('sort', [...edition.list.sortable].slice(0, 7).join(','))
  assert.throws(() => parse('sort', `${[...edition.list.sortable].join(',')},nosuch`), /Cannot sort by nosuch/)
})
