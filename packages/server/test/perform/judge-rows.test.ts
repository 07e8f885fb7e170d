/**
 * Conditions of records that were read, decided for a page. The verdicts are those of the
 * database's own lists, inside a transaction and in responses that are cached.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'
import fc from 'fast-check'
import type { Engine } from '../../src/perform/engine.ts'
import { judgeRows } from '../../src/perform/read/judge-rows.ts'
import { all, always, any, type Condition, equal, not } from '../../src/resource/condition.ts'
import { freshnessOfDependency } from '../../src/response-cache/dependency.ts'
import { makeReadTracking } from '../../src/response-cache/read-tracking.ts'
import { openStorage, parseDatabase } from '../../src/storage/open.ts'
import type { Reader, Row, Storage } from '../../src/storage/storage.ts'
import { condition, values } from '../response-cache/random-library.ts'
import { libraryCatalog as catalog, deleteWhere, fill, idOf, shelf, tester, volume } from '../storage/library.ts'

const folder = temporaryFolder()
let storage: Storage
let statements = 0
const asked: number[] = []
/** Counts the statements that decide, and notes how many records each was asked about. */
const counting = (reader: Reader): Reader => ({
  ...reader,
  testEach(resource, request) {
    statements += 1
    asked.push(request.ids.length)
    return reader.testEach(resource, request)
  },
})

const onShelf = (label: string): Condition => ({
  kind: 'related',
  field: 'shelfId',
  resource: 'shelf',
  where: equal('label', label),
})
const everyRow = (reader: Reader) => reader.list(volume, { where: always, sort: [], limit: 1000 })
const named = (...conditions: Condition[]) => new Map(conditions.map((one, i) => [`c${i}`, one]))

async function judged(reader: Reader, rows: readonly Row[], ...conditions: Condition[]): Promise<string[][]> {
  const context = { catalog, reader: counting(reader) }
  return (await judgeRows(context, { resource: volume, rows, conditions: named(...conditions) })).map((one) =>
    [...one].toSorted(),
  )
}

before(async () => {
  const database = parseDatabase(await databaseOf(folder), folder)
  storage = await openStorage(database, catalog, { heldMs: 0, making: 'empty' })
  await fill(storage, [])
})
beforeEach(async () => {
  await storage.transaction(tester, (transaction) => deleteWhere(transaction, volume, always))
  statements = 0
  asked.length = 0
})
after(async () => {
  await storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

async function store(list: readonly object[]): Promise<Row[]> {
  await storage.transaction(tester, (transaction) =>
    transaction.insertAll(
      volume,
      list.map((one, i) => ({ tags: [], lent: false, shelfId: 1, title: `Volume ${i + 1}`, ...one, id: idOf(i + 1) })),
    ),
  )
  return everyRow(storage)
}

test('each condition holds for exactly the records that a list by it finds', async () => {
  const conditions = fc.array(condition, { minLength: 12, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 3, maxLength: 12 }), conditions, async (drawn, drawnConditions) => {
      await storage.transaction(tester, (transaction) => deleteWhere(transaction, volume, always))
      const rows = await store(drawn.map((one, i) => ({ ...one, title: `${one.title} ${i}` })))
      const verdicts = await judged(storage, rows, ...drawnConditions)
      const found = await Promise.all(
        drawnConditions.map(async (where) => {
          const list = await storage.list(volume, { where, sort: [], limit: 1000 })
          return new Set(list.map((row) => row.id))
        }),
      )
      const expected = rows.map((row) => found.flatMap((ids, i) => (ids.has(row.id) ? [`c${i}`] : [])).toSorted())
      assert.deepEqual(verdicts, expected)
    }),
    { numRuns: 40 },
  )
})

test('one statement decides for a page, and only for the records that do not tell by themselves', async () => {
  const rows = await store([
    { shelfId: 1, rank: 1 },
    { shelfId: 2, rank: 1 },
    { shelfId: 2, rank: 2 },
  ])
  const first = equal('rank', 1)
  assert.deepEqual(await judged(storage, rows, first, not(first)), [['c0'], ['c0'], ['c1']])
  assert.equal(statements, 0)
  assert.deepEqual(await judged(storage, rows, any(first, onShelf('Right')), all(onShelf('Left'), first)), [
    ['c0', 'c1'],
    ['c0'],
    ['c0'],
  ])
  assert.equal(statements, 1)
  assert.deepEqual(await judged(storage, rows, any(first, onShelf('Right'))), [['c0'], ['c0'], ['c0']])
  assert.deepEqual(asked, [3, 1])
})

test('a transaction judges by its own writes', async () => {
  const [row] = (await store([{ shelfId: 1 }])) as [Row]
  await storage.transaction(tester, async (transaction) => {
    const left = await transaction.lock(shelf, equal('label', 'Left'))
    const renamed = await transaction.update(shelf, left?.row as Row, { label: 'Middle' })
    assert.deepEqual(await judged(transaction, [row], onShelf('Middle'), onShelf('Left')), [['c0']])
    const moved = await transaction.update(volume, row, { shelfId: 2 })
    assert.deepEqual(await judged(transaction, [moved], onShelf('Right'), onShelf('Middle')), [['c0']])
    await transaction.update(shelf, renamed, { label: 'Left' })
  })
})

test('a record that has changed since it was read satisfies nothing that it does not tell itself', async () => {
  const [row] = (await store([{ shelfId: 1, rank: 1 }])) as [Row]
  assert.deepEqual(await judged(storage, [row], onShelf('Left'), equal('rank', 1)), [['c0', 'c1']])
  await storage.transaction(tester, (transaction) => transaction.update(volume, row, { note: 'new' }))
  assert.deepEqual(await judged(storage, [row], onShelf('Left'), equal('rank', 1)), [['c1']])
  await storage.transaction(tester, (transaction) => deleteWhere(transaction, volume, always))
  assert.deepEqual(await judged(storage, [row], onShelf('Left'), equal('rank', 1)), [['c1']])
})

test('an answer that is kept depends on what decided', async () => {
  const rows = await store([{ shelfId: 1 }, { shelfId: 2 }])
  const tracking = makeReadTracking({ storage, policy: {}, records: {} } as unknown as Engine)
  const rename = (from: string, to: string) =>
    storage.transaction(tester, async (transaction) => {
      const found = await transaction.lock(shelf, equal('label', from))
      await transaction.update(shelf, found?.row as Row, { label: to })
    })
  const freshness = () => tracking.dependencies.map(freshnessOfDependency)
  assert.deepEqual(await judged(tracking.engine.storage, rows, onShelf('Left')), [['c0'], []])
  assert.deepEqual(freshness(), ['same'])
  await rename('Right', 'Middle')
  assert.deepEqual(freshness(), ['same'])
  await rename('Middle', 'Right')
  await rename('Left', 'Middle')
  assert.deepEqual(freshness(), ['changed'])
  await rename('Middle', 'Left')
})
