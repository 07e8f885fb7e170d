/**
 * Builds of rank indexes: outside of the main thread, and exact despite writes of this process and
 * of others. SQLite only.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { limits } from '../../src/limits.ts'
import { all, always, type Condition, equal, isNull } from '../../src/resource/condition.ts'
import { makeSqlTools } from '../../src/storage/sql/reader.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { tester } from './library.ts'

const rows = 70_000
const kinds = ['Desk', 'Floor', 'Wall', null, 'Ceiling']
const folder = temporaryFolder()
const path = join(folder, 'test.db')

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const lampOf = (n: number) => ({
  id: idOf((n * 31) % 1_000_003),
  name: `lamp ${n % 700}`,
  maker: null,
  kind: kinds[n % kinds.length] ?? null,
  inStock: n % 3 > 0,
  price: (n * 7919) % 5_000,
  createdAt: new Date(1_700_000_000_000 + n * 1000).toISOString(),
})
const lamps = (from: number, count: number) => Array.from({ length: count }, (_, i) => lampOf(from + i))
const insert = (storage: Storage, from: number, count: number) =>
  storage.transaction(tester, (transaction) => transaction.insertAll(lamp, lamps(from, count)))
const open = (heldMs: number) => openSqlite(path, lampCatalog, { heldMs, costly: limits.costly })

before(async () => {
  const storage = await openSqlite(path, lampCatalog)
  for (let from = 0; from < rows; from += 10_000) await insert(storage, from, 10_000)
  await storage.close()
})
after(() => removeFolder(folder))

const price = (from: number, below: number): Condition =>
  all(
    { kind: 'compare', field: 'price', operator: 'gte', value: from },
    { kind: 'compare', field: 'price', operator: 'lt', value: below },
  )
const conditions = [
  always,
  isNull('kind'),
  ...kinds.flatMap((kind) => (kind === null ? [] : [equal('kind', kind), all(equal('kind', kind), price(50, 4_000))])),
  ...[0, 700, 1_900, 3_300].map((from) => price(from, from + 1_500)),
]

/** Changes, adds and deletes records at places all over the indexes. */
async function writeSome(storage: Storage, n: number): Promise<void> {
  await storage.transaction(tester, async (transaction) => {
    const sort = [{ field: 'id', descending: false }]
    const found = await transaction.list(lamp, { where: equal('price', (n * 37) % 5_000), sort, limit: 2 })
    const [one, other] = found
    const { price, kind, inStock } = lampOf(n * 13)
    if (one) await transaction.update(lamp, one, { price, kind, inStock })
    if (other) await transaction.deleteAll(lamp, [other])
    await transaction.insert(lamp, lampOf(rows + n))
  })
}

async function compareAll(storage: Storage): Promise<void> {
  const plain = openConnection(path, { readOnly: true })
  const { statements, readerOf } = makeSqlTools(lampCatalog, sqliteDialect)
  for (const where of conditions) {
    const total = plain.first(statements.count(lamp, where))?.[0] as number
    assert.equal(await storage.count(lamp, where), total, JSON.stringify(where))
    for (const field of ['price', 'kind']) {
      const sort = [field, 'id'].map((name) => ({ field: name, descending: false }))
      const request = { where, sort, limit: 5, offset: Math.floor(total / 2) }
      const expected = plain.all(statements.list(lamp, request)).map(readerOf(lamp))
      assert.deepEqual(await storage.list(lamp, request), expected, JSON.stringify(request))
    }
  }
  plain.database.close()
}

test('a rank index is exact despite writes of this process and another one during its build', async () => {
  const storage = await open(0)
  const another = await open(0)
  let writes = 0
  let isMade = false
  const asked = Promise.all(conditions.map((where) => storage.count(lamp, where))).finally(() => {
    isMade = true
  })
  while (!isMade || writes < 60) {
    await writeSome(writes % 3 === 2 ? another : storage, writes)
    writes += 1
  }
  await asked
  await compareAll(storage)
  await another.close()
  await storage.close()
})

test('the main thread is free during the builds of rank indexes', async () => {
  const storage = await open(10)
  let [turns, isMade] = [0, false]
  const asked = Promise.resolve(storage.count(lamp, price(1, 4_999))).finally(() => {
    isMade = true
  })
  for (; !isMade; turns += 1) await nextTurn()
  assert.ok((await asked) > 0)
  await storage.close()
  // A build in the main thread would take only one turn before and one after.
  assert.ok(turns > 10, `${turns} turns`)
})

test('a total that several rank indexes could give waits only for the first of them', async () => {
  const storage = await open(10)
  const byPrice = await storage.count(lamp, price(0, 5_000))
  assert.equal(storage.count(lamp, always), byPrice) // a promise, if it waited
  await storage.close()
})
