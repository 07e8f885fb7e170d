/** Reads, the same on every database: tables of cases that run on each of them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SortKey } from '../../src/resource/catalog.ts'
import { all, always, any, type Condition, equal, isNull, never, not } from '../../src/resource/condition.ts'
import type { Row, Storage } from '../../src/storage/storage.ts'
import {
  by,
  compare,
  type Database,
  fill,
  idOf,
  libraryCatalog,
  type MakeDatabase,
  searching,
  shelf,
  volume,
} from './library.ts'

const rows = [
  { title: 'Alpha', note: 'wi-fi router', rank: 3, lent: true, tags: ['red', 'blue'] },
  { title: 'beta', note: null, rank: null, lent: false, tags: [] },
  { title: 'Ärger', note: '100% sure', rank: 1, lent: false, tags: ['red'] },
  { title: 'STRASSE', note: 'a_b', rank: 3, lent: true, shelfId: 2 },
  { title: 'straße', note: '', rank: -5, lent: false, spareId: 1 },
  { title: 'Crème Brûlée', note: null, rank: null, lent: true, seenAt: '2026-01-01T00:00:00.000Z', tags: ['"', '%'] },
  { title: 'Σίσυφος', note: 'O\'Brien "quoted"', rank: 9_007_199_254_740_991, seenAt: '2026-01-02T00:00:00.000Z' },
  { title: '日本語の本', note: '😀 smile', rank: 0 },
]

const inList = (field: string, ...values: (string | number | boolean)[]): Condition => ({ kind: 'in', field, values })
const has = (field: string, item: string): Condition => ({ kind: 'has', field, item })
const part = (kind: 'contains' | 'startsWith', field: string, text: string): Condition => ({ kind, field, text })

/** Each condition, and the numbers of the rows that it finds. */
const conditions: readonly (readonly [string, Condition, readonly number[]])[] = [
  ['always', always, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['never', never, []],
  ['eq', compare('rank', 'eq', 3), [1, 4]],
  ['ne is not for null', compare('rank', 'ne', 3), [3, 5, 7, 8]],
  ['gt', compare('rank', 'gt', 1), [1, 4, 7]],
  ['gte', compare('rank', 'gte', 1), [1, 3, 4, 7]],
  ['lt', compare('rank', 'lt', 1), [5, 8]],
  ['lte', compare('rank', 'lte', 1), [3, 5, 8]],
  ['the largest exact integer', compare('rank', 'eq', 9_007_199_254_740_991), [7]],
  ['a fraction against an integer', compare('rank', 'gt', 2.5), [1, 4, 7]],
  ['boolean', compare('lent', 'eq', true), [1, 4, 6]],
  ['boolean false', compare('lent', 'eq', false), [2, 3, 5, 7, 8]],
  ['timestamp', compare('seenAt', 'gt', '2026-01-01T00:00:00.000Z'), [7]],
  ['text by its bytes', compare('title', 'gt', 'beta'), [3, 5, 7, 8]],
  ['a unique text without case, where ß is not ss', compare('title', 'eq', 'STRASSE'), [4]],
  ['a unique text, not equal without case', all(compare('title', 'ne', 'strasse'), compare('shelfId', 'eq', 2)), []],
  ['a text that is not unique keeps its case', compare('note', 'eq', 'A_B'), []],
  ['id', equal('id', idOf(2)), [2]],
  ['null', isNull('rank'), [2, 6]],
  ['not null', { kind: 'null', field: 'seenAt', isNull: false }, [6, 7]],
  ['in', inList('rank', 3, 0, 77), [1, 4, 8]],
  ['in of nothing', inList('rank'), []],
  ['in of texts without case', inList('title', 'ALPHA', 'BETA'), [1, 2]],
  ['in of booleans', inList('lent', true), [1, 4, 6]],
  ['in of references', inList('shelfId', 2), [4]],
  ['contains without case', part('contains', 'title', 'LPH'), [1]],
  ['contains keeps accents', part('contains', 'title', 'creme'), []],
  ['contains by Unicode', part('contains', 'title', 'ΊΣΥΦΟΣ'), [7]],
  ['contains a final sigma', part('contains', 'title', 'σίσυφοΣ'), [7]],
  ['contains ss, in a unique text not ß', part('contains', 'title', 'ASS'), [4]],
  ['% is a character', part('contains', 'note', '%'), [3]],
  ['_ is a character', part('contains', 'note', '_'), [4]],
  ['quotes are characters', part('contains', 'note', `'Brien "Q`), [7]],
  ['an emoji is a character', part('startsWith', 'note', '😀'), [8]],
  ['startsWith', part('startsWith', 'title', 'stras'), [4]],
  ['startsWith is not contains', part('startsWith', 'title', 'rasse'), []],
  ['contains nothing finds every text', part('contains', 'note', ''), [1, 3, 4, 5, 7, 8]],
  ['a list has', has('tags', 'red'), [1, 3]],
  ['a list has no part', has('tags', 're'), []],
  ['a list has odd items', has('tags', '"'), [6]],
  ['and', all(compare('rank', 'eq', 3), compare('lent', 'eq', true), part('contains', 'title', 'a')), [1, 4]],
  ['or', any(isNull('rank'), compare('rank', 'lt', 0)), [2, 5, 6]],
  ['and within or', any(all(compare('rank', 'eq', 3), compare('shelfId', 'eq', 2)), equal('id', idOf(8))), [4, 8]],
  ['related', { kind: 'related', field: 'shelfId', resource: 'shelf', where: compare('label', 'eq', 'RIGHT') }, [4]],
  [
    'related by a reference that may be null',
    { kind: 'related', field: 'spareId', resource: 'shelf', where: always },
    [5],
  ],
  ['related to nothing', { kind: 'related', field: 'shelfId', resource: 'shelf', where: never }, []],
  ['not, where a comparison says nothing of null', not(compare('rank', 'lt', 3)), [1, 2, 4, 6, 7]],
  ['not of several', not(any(compare('lent', 'eq', true), part('contains', 'title', 'SS'))), [2, 3, 5, 7, 8]],
  ['not within and', all(compare('lent', 'eq', true), not(has('tags', 'red'))), [4, 6]],
  [
    'not related',
    not({ kind: 'related', field: 'spareId', resource: 'shelf', where: compare('label', 'eq', 'LEFT') }),
    [1, 2, 3, 4, 6, 7, 8],
  ],
  ['search by prefix', searching('rout'), [1]],
  ['search in the middle of a word', searching('outer'), []],
  ['search after a hyphen', searching('fi'), [1]],
  ['search without accents', searching('BRULEE'), [6]],
  ['search of one letter', searching('b'), [2, 4, 6, 7]],
  ['search of two words in two fields', searching('alp', 'wi'), [1]],
  ['search of words that are not together', searching('alp', 'sure'), []],
  ['search of %', searching('100%'), [3]],
  ['search of _', searching('a_b'), [4]],
  ['search of a quote', searching('"quoted"'), [7]],
  ['search of operators is of words', searching('alpha', 'OR', 'beta'), []],
  ['search of a star', searching('alp*'), []],
  ['search of another script', searching('日本'), [8]],
  ['search of an emoji', searching('😀'), [8]],
  ['search and filter', all(searching('s'), compare('shelfId', 'eq', 1)), [3, 5, 8]],
]

/**
 * Each sort, and the numbers of the rows in its order. Null is the smallest value; the id breaks
 * ties.
 */
const sorts: readonly (readonly [readonly SortKey[], readonly number[]])[] = [
  [by('id'), [1, 2, 3, 4, 5, 6, 7, 8]],
  [by('-id'), [8, 7, 6, 5, 4, 3, 2, 1]],
  [by('rank', 'id'), [2, 6, 5, 8, 3, 1, 4, 7]],
  [by('-rank', '-id'), [7, 4, 1, 3, 8, 5, 6, 2]],
  [by('-rank', 'id'), [7, 1, 4, 3, 8, 5, 2, 6]],
  [by('lent', '-rank', 'id'), [7, 3, 8, 5, 2, 1, 4, 6]],
  [by('-seenAt', 'rank', '-id'), [7, 6, 2, 5, 8, 3, 4, 1]],
  [by('note', 'id'), [2, 6, 5, 3, 7, 4, 1, 8]],
]

export function storageSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: reading`, () => {
    let database: Database
    let storage: Storage
    before(async () => {
      database = await make()
      storage = await database.open(libraryCatalog)
      await fill(storage, rows)
    })
    after(async () => {
      await storage.close()
      await database.remove()
    })
    const numbers = (found: readonly Row[]) => found.map((row) => Number(String(row.id).slice(-12)))

    for (const [what, where, expected] of conditions) {
      test(what, async () => {
        const found = await storage.list(volume, { where, sort: by('id'), limit: 100 })
        assert.deepEqual(numbers(found), expected)
        assert.equal(await storage.count(volume, where), expected.length)
        assert.equal(
          (await storage.find(volume, all(where, equal('id', idOf(expected[0] ?? 1)))))?.row.id,
          expected[0] && idOf(expected[0]),
        )
        const tested = await storage.find(volume, equal('id', idOf(expected[0] ?? 1)), where)
        assert.equal(tested?.passes, expected.length > 0)
      })
    }

    test('the beginnings of many lists', async () => {
      const each = async (more: object) => {
        const request = { by: 'shelfId', ids: [2, 1, 77], where: always, sort: by('-rank', 'id'), limit: 3, most: 100 }
        return numbers(await storage.listEach(volume, { ...request, ...more }))
      }
      assert.deepEqual(await each({}), [4, 7, 1, 3])
      assert.deepEqual(await each({ limit: 1 }), [4, 7])
      assert.deepEqual(await each({ sort: by('title', 'id'), limit: 2 }), [4, 1, 6])
      assert.deepEqual(await each({ where: compare('lent', 'eq', false) }), [7, 3, 8])
      assert.deepEqual(await each({ where: part('contains', 'title', 'ss'), ids: [1, 2] }), [4])
      assert.deepEqual(await each({ ids: [] }), [])
      assert.equal((await each({ most: 2 })).length, 2)
      const related = { kind: 'related', field: 'shelfId', resource: 'shelf', where: compare('label', 'eq', 'RIGHT') }
      assert.deepEqual(await each({ where: related }), [4])
      const spare = { by: 'spareId', ids: [1, 2], where: always, sort: by('id'), limit: 9, most: 100 }
      assert.deepEqual(numbers(await storage.listEach(volume, spare)), [5])
      assert.deepEqual(numbers(await storage.listEach(volume, { ...spare, by: 'id', ids: [idOf(3), idOf(1)] })), [3, 1])
    })

    for (const [sort, expected] of sorts) {
      const words = sort.map(({ field, descending }) => (descending ? `-${field}` : field)).join()
      test(`sorted by ${words}: whole, by offset and by cursor`, async () => {
        const list = (more: object) => storage.list(volume, { where: always, sort, limit: 100, ...more })
        assert.deepEqual(numbers(await list({})), expected)
        assert.deepEqual(numbers(await list({ limit: 3, offset: 2 })), expected.slice(2, 5))
        assert.deepEqual(await list({ offset: 8 }), [])
        assert.deepEqual(await list({ limit: 0 }), [])
        for (const size of [1, 3]) {
          const walked: number[] = []
          let last = (await list({ limit: size })).at(-1)
          walked.push(...expected.slice(0, size))
          while (last) {
            const page = await list({
              limit: size,
              after: { values: sort.map(({ field }) => last?.[field] as string | number | null) },
            })
            walked.push(...numbers(page))
            last = page.at(-1)
          }
          assert.deepEqual(walked, expected, `by ${size}`)
        }
      })
    }

    test('values come back as they were stored', async () => {
      const row = (await storage.find(volume, equal('id', idOf(6))))?.row
      const { version, id, ...values } = row as Record<string, unknown>
      assert.equal(version, 1)
      assert.equal(id, idOf(6))
      assert.deepEqual(values, { shelfId: 1, spareId: null, ...rows[5] })
      assert.deepEqual(
        (await storage.list(shelf, { where: always, sort: by('id'), limit: 9 })).map((one) => one.id),
        [1, 2],
      )
    })

    test('an offset beyond everything costs no more than page 1', async () => {
      assert.deepEqual(
        await storage.list(volume, { where: always, sort: by('id'), limit: 20, offset: 9_007_199_254_740_000 }),
        [],
      )
    })
  })
}
