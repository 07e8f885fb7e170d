/**
 * Cached totals always equal a count, whichever process writes meanwhile. The server counts a total
 * once, as long as it can add up the changes. The cache is bounded in bytes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'
import fc from 'fast-check'
import { always, type Condition, equal, isNull, type Scalar } from '../../src/resource/condition.ts'
import { type CountExactly, makeTotalsCache } from '../../src/storage/derived/totals-cache.ts'
import { openStorage, parseDatabase } from '../../src/storage/open.ts'
import type { Row, Storage, Transaction } from '../../src/storage/storage.ts'
import { shortOr } from '../helpers/long.ts'
import { compare, idOf, libraryCatalog, shelf, tester, volume, volumeOf } from '../storage/library.ts'
import { condition, values } from './random-library.ts'

const rounds = Number(process.env.KEPT_ROUNDS ?? shortOr(3, 6))
const totalsBytesMax = 4_000_000
const folder = temporaryFolder()
let one: Storage
let two: Storage

before(async () => {
  const database = parseDatabase(await databaseOf(folder), folder)
  one = await openStorage(database, libraryCatalog, { heldMs: 0, making: 'empty', totalsBytesMax })
  two = await openStorage(database, libraryCatalog, { heldMs: 0, making: 'empty', totalsBytesMax })
  await one.transaction(tester, async (transaction) => {
    for (const label of ['Left', 'Right']) await transaction.insert(shelf, { label })
  })
})
after(async () => {
  await Promise.all([one.close(), two.close()])
  await removeDatabase(folder)
  removeFolder(folder)
})

const listAll = (storage: Storage | Transaction, where: Condition) =>
  storage.list(volume, { where, sort: [], limit: 10_000 })
let made = 100

type Drawn = { readonly kind: string; readonly at: number; readonly row: Record<string, unknown> }

/** One random write. Titles get a number, since they are unique on their shelf. */
async function write(transaction: Transaction, { kind, at, row }: Drawn): Promise<void> {
  const rows = await listAll(transaction, always)
  const some = rows[at % Math.max(1, rows.length)]
  const fresh = () => volumeOf(made++, { ...row, title: `${row.title} ${made}` })
  if (kind === 'insert' || !some) await transaction.insert(volume, fresh())
  else if (kind === 'insertAll') await transaction.insertAll(volume, [fresh(), fresh(), fresh()])
  else if (kind === 'update') {
    const { title: _, ...changes } = row
    await transaction.update(volume, some, at % 2 ? changes : { rank: row.rank, note: row.note })
  } else if (kind === 'updateAll') {
    const ids = rows.slice(0, at % 4).map(({ id }) => id as Scalar)
    await transaction.updateAll(volume, ids, at % 2 ? { rank: row.rank } : { lent: row.lent, seenAt: row.seenAt })
  } else if (kind === 'shelf') {
    const [left] = await transaction.list(shelf, { where: equal('id', 1), sort: [], limit: 1 })
    await transaction.update(shelf, left as Row, { label: at % 2 ? 'straße' : `Left ${at}` })
  } else await transaction.deleteAll(volume, at % 3 === 0 ? rows.slice(0, 3) : [some])
}

const drawn = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'insertAll', 'update', 'update', 'update', 'updateAll', 'delete', 'shelf'),
  at: fc.nat(1000),
  row: values,
  by: fc.constantFrom('one', 'one', 'one', 'two'),
  undone: fc.constantFrom(false, false, false, true),
})

test('a total is what a list finds, after any write by any process', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(condition, { minLength: 12, maxLength: 12 }),
      fc.array(drawn, { minLength: 12, maxLength: 12 }),
      async (conditions, writes) => {
        const check = async (what: unknown) => {
          for (const where of conditions) {
            const [listed, totals] = [
              (await listAll(one, where)).length,
              await Promise.all([one, two].map((each) => each.count(volume, where))),
            ]
            assert.deepEqual(totals, [listed, listed], JSON.stringify({ where, what }))
          }
        }
        await check('at first')
        for (const { by, undone, ...each } of writes) {
          const storage = by === 'one' ? one : two
          const writing = storage.transaction(tester, async (transaction) => {
            await write(transaction, each)
            if (undone) throw new Error('undone')
          })
          // Counts that run while the write is committed: whatever they find, the next are right.
          const counting = conditions.slice(0, 4).map((where) => storage.count(volume, where))
          await writing.catch((error) => assert.equal(error.message, 'undone'))
          await Promise.all(counting)
          await check({ by, undone, ...each })
        }
      },
    ),
    { numRuns: rounds, endOnFailure: true },
  )
})

/** Totals over a count that is counted itself, and that can be held back. */
function countedTotals(storage: Storage) {
  let counts = 0
  let hold: Promise<void> | undefined
  const count: CountExactly = async (resource, where) => {
    counts += 1
    const total = (await storage.list(resource, { where, sort: [], limit: 10_000 })).length
    await hold
    return { total, includes: () => false }
  }
  const totals = makeTotalsCache({ watches: storage.watches, bytesMax: 1_000_000 })
  return {
    total: async (where: Condition) => totals.total(volume, where, count),
    counts: () => counts,
    hold(until: Promise<void> | undefined) {
      hold = until
    },
  }
}

test('own writes move a total, and nothing is counted again', async () => {
  const { total, counts } = countedTotals(one)
  const conditions = [always, compare('rank', 'gte', 5), isNull('note'), equal('lent', true)]
  const before = await Promise.all(conditions.map(total))
  assert.equal(counts(), 4)
  const [a, b] = [volumeOf(made++, { rank: 9, lent: true }), volumeOf(made++, { rank: 4, note: 'x' })]
  await one.transaction(tester, async (transaction) => {
    const row = await transaction.insert(volume, a)
    await transaction.insertAll(volume, [b])
    await transaction.update(volume, row, { rank: 1 })
  })
  const moved = [2, 0, 1, 1].map((by, i) => (before[i] as number) + by)
  assert.deepEqual(await Promise.all(conditions.map(total)), moved)
  await one.transaction(tester, async (transaction) => {
    const rows = await transaction.list(volume, { where: equal('id', a.id as string), sort: [], limit: 1 })
    // none of them asks for it
    await transaction.updateAll(volume, [b.id as string], { seenAt: '2026-01-01T00:00:00.000Z' })
    await transaction.deleteAll(volume, rows)
  })
  assert.deepEqual(
    await Promise.all(conditions.map(total)),
    [1, 0, 0, 0].map((by, i) => (before[i] as number) + by),
  )
  assert.equal(counts(), 4)
})

test('what cannot be added up is counted again, and only that', async () => {
  const { total, counts } = countedTotals(one)
  const [ranked, noted] = [compare('rank', 'gte', 5), isNull('note')]
  const shelved: Condition = { kind: 'related', field: 'shelfId', resource: 'shelf', where: equal('label', 'nowhere') }
  for (const where of [ranked, noted, shelved]) await total(where)
  await one.transaction(tester, async (transaction) => {
    const [row] = await listAll(transaction, always)
    await transaction.updateAll(volume, [row?.id as string], { rank: 6 })
  })
  for (const where of [ranked, noted, shelved]) assert.equal(await total(where), (await listAll(one, where)).length)
  assert.equal(counts(), 4, 'the rank of a record that nobody read moved')
  await one.transaction(tester, async (transaction) => {
    const [row] = await transaction.list(shelf, { where: equal('id', 2), sort: [], limit: 1 })
    await transaction.update(shelf, row as Row, { label: 'nowhere' })
  })
  for (const where of [ranked, noted, shelved]) assert.equal(await total(where), (await listAll(one, where)).length)
  assert.equal(counts(), 5, 'the shelf began to match')
  await two.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(made++)))
  await one.changes.catchUp()
  for (const where of [ranked, noted, shelved]) assert.equal(await total(where), (await listAll(one, where)).length)
  assert.equal(counts(), 8, 'another process wrote')
})

test('all who ask at once share one count, and whoever asks later gets what was written since', async () => {
  const { total, counts, hold } = countedTotals(one)
  const gate = Promise.withResolvers<void>()
  hold(gate.promise)
  const first = [total(always), total(always)]
  const stored = (await listAll(one, always)).length
  await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(made++)))
  const later = total(always)
  gate.resolve()
  assert.equal(await later, stored + 1)
  for (const each of await Promise.all(first)) assert.ok(each === stored || each === stored + 1)
  assert.equal(counts(), 1)
})

test('kept totals are bounded in bytes, however long their conditions are', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heldBy = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heldBy()
  for (let i = 0; i < 900; i += 1) {
    const texts = Array.from({ length: 100 }, (_, n) => `${i} ${n} ${'x'.repeat(1000)}`)
    await one.count(volume, { kind: 'in', field: 'note', values: texts })
  }
  const grown = heldBy() - before
  assert.ok(grown < 60_000_000, `${Math.round(grown / 1e6)} MB`)
  assert.equal(idOf(1).length, 36)
})
