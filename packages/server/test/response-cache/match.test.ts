/**
 * Conditions and sort orders evaluated in JavaScript, compared with the database: random conditions
 * and sorts on random rows.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'
import fc from 'fast-check'
import { all, always } from '../../src/resource/condition.ts'
import { fieldsOf, makeMatcher } from '../../src/storage/derived/match.ts'
import { compareRecords } from '../../src/storage/derived/sort-order.ts'
import { openStorage, parseDatabase } from '../../src/storage/open.ts'
import type { Row, Storage } from '../../src/storage/storage.ts'
import { deleteWhere, libraryCatalog, shelf, tester, volume, volumeOf } from '../storage/library.ts'
import { condition, sorting, values } from './random-library.ts'

const rounds = Number(process.env.KEPT_ROUNDS ?? 15)
const folder = temporaryFolder()
let storage: Storage

before(async () => {
  const database = parseDatabase(await databaseOf(folder), folder)
  storage = await openStorage(database, libraryCatalog, { heldMs: 0, making: 'empty' })
  await storage.transaction(tester, async (transaction) => {
    for (const label of ['Left', 'STRASSE']) await transaction.insert(shelf, { label })
  })
})
after(async () => {
  await storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

async function replaceAll(rows: readonly object[]): Promise<Row[]> {
  await storage.transaction(tester, async (transaction) => {
    await deleteWhere(transaction, volume, always)
    const named = rows.map((row, i) => volumeOf(i + 1, row))
    // Titles are unique on a shelf regardless of case; a number keeps them apart where it must.
    for (const one of named)
      await transaction.insertAll(volume, [
        { ...one, title: `${one.title}${'·'.repeat(Number(String(one.id).slice(-3)))}` },
      ])
  })
  return storage.list(volume, { where: always, sort: [], limit: 1000 })
}

test('a row matches a condition exactly where the database finds it', async () => {
  const { compile } = makeMatcher()
  let undecided = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { minLength: 5, maxLength: 25 }),
      fc.array(condition, { minLength: 60, maxLength: 60 }),
      async (drawn, conditions) => {
        const rows = await replaceAll(drawn)
        for (const where of conditions) {
          const found = new Set((await storage.list(volume, { where, sort: [], limit: 1000 })).map(({ id }) => id))
          const matches = compile(volume, where)
          for (const row of rows) {
            const said = matches(row)
            if (said === undefined) undecided += 1
            else assert.equal(said, found.has(row.id), JSON.stringify({ where, row }))
          }
        }
      },
    ),
    { numRuns: rounds },
  )
  assert.ok(undecided > 0, 'conditions on other records are among those that were drawn')
})

test('places compare exactly as the database sorts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { minLength: 10, maxLength: 25 }),
      fc.array(sorting, { minLength: 10, maxLength: 10 }),
      async (drawn, sorts) => {
        const rows = await replaceAll(drawn)
        for (const sort of sorts) {
          const sorted = await storage.list(volume, { where: always, sort, limit: 1000 })
          const own = rows.toSorted((a, b) => compareRecords(sort, a, b))
          assert.deepEqual(own, sorted, JSON.stringify(sort))
        }
      },
    ),
    { numRuns: rounds },
  )
})

test('the fields that a condition reads are told', () => {
  const where = all({ kind: 'search', words: ['a'] }, { kind: 'null', field: 'rank', isNull: true })
  assert.deepEqual([...fieldsOf(volume, where)].toSorted(), ['note', 'rank', 'title'])
})
