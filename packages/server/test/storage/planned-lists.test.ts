/**
 * Compares lists and totals of large tables, which plans and rank indexes serve, with the plain
 * statements. SQLite only.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import fc from 'fast-check'
import { limits } from '../../src/limits.ts'
import type { SortKey } from '../../src/resource/catalog.ts'
import { all, always, type Condition, equal, isNull } from '../../src/resource/condition.ts'
import { makeSqlTools } from '../../src/storage/sql/reader.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { ListRequest, Storage } from '../../src/storage/storage.ts'
import { shortOr } from '../helpers/long.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { tester } from './library.ts'

const rows = 4_000
const kinds = ['Desk', 'Floor', 'Wall', null, 'Ceiling', '\u{1F4A1}', '\uFF5E']

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
function lampOf(n: number) {
  const random = (n * 7919) % 10_007
  return {
    id: idOf((n * 31) % 100_003),
    name: `lamp ${random % 700}`,
    maker: null,
    kind: kinds[n % kinds.length] ?? null,
    inStock: random % 3 > 0,
    price: random % 500,
    createdAt: new Date(1_700_000_000_000 + (n % 1000) * 1000).toISOString(),
  }
}

/** Opens the file as one of several serving processes. */
const open = (path: string) => openSqlite(path, lampCatalog, { heldMs: 0, costly: limits.costly })

async function setUp() {
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  const storage = await open(path)
  await storage.transaction(tester, (transaction) =>
    transaction.insertAll(
      lamp,
      Array.from({ length: rows }, (_, n) => lampOf(n)),
    ),
  )
  const plain = openConnection(path, { readOnly: true })
  const { statements, readerOf } = makeSqlTools(lampCatalog, sqliteDialect)
  return {
    path,
    storage,
    list: (request: ListRequest) => plain.all(statements.list(lamp, request)).map(readerOf(lamp)),
    count: (where: Condition) => plain.first(statements.count(lamp, where))?.[0] as number,
    async end() {
      plain.database.close()
      await storage.close()
      removeFolder(folder)
    },
  }
}

const price = fc.integer({ min: -5, max: 505 })
const compare = (field: string, value: fc.Arbitrary<string | number>) =>
  fc.record({
    kind: fc.constant('compare' as const),
    field: fc.constant(field),
    operator: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const, 'ne' as const),
    value,
  })
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom(...kinds).map((kind) => (kind === null ? isNull('kind') : equal('kind', kind))),
  fc.constant<Condition>({ kind: 'null', field: 'kind', isNull: false }),
  fc.boolean().map((value) => equal('inStock', value)),
  compare('price', price),
  price.map((value) => equal('price', value)),
  compare('kind', fc.constantFrom('Desk', 'Floor', 'M', '\u{1F4A1}')),
  compare('name', fc.constantFrom('lamp 1', 'lamp 500', 'lamp 69')),
  fc.constant<Condition>({ kind: 'contains', field: 'maker', text: 'a' }),
)
const sortField = fc.constantFrom('name', 'kind', 'price', 'createdAt')
const request = fc.record({
  where: fc.array(condition, { maxLength: 3 }).map((conditions) => all(...conditions)),
  fields: fc.uniqueArray(sortField, { maxLength: 2 }),
  descending: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 100 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
})
type Asked = typeof request extends fc.Arbitrary<infer R> ? R : never

function sortOf({ fields, descending }: Asked): SortKey[] {
  const keys = fields.map((field, i) => ({ field, descending: descending[i] as boolean }))
  return [...keys, { field: 'id', descending: keys.at(-1)?.descending ?? (descending[2] as boolean) }]
}

const runs = Number(process.env.PLANNED_LISTS ?? shortOr(150, 300))

type SetUp = Awaited<ReturnType<typeof setUp>>

/** Compares one list, its total, and what follows it by a cursor. */
async function compareWithPlain({ storage, list, count }: SetUp, asked: Asked): Promise<void> {
  const { where, limit, at } = asked
  const sort = sortOf(asked)
  const total = count(where)
  assert.equal(await storage.count(lamp, where), total)
  const offset = Math.floor(at * (total + 10))
  const expected = list({ where, sort, limit, offset })
  assert.deepEqual(await storage.page(lamp, { where, sort, limit, offset }), { total, rows: expected })
  assert.deepEqual(await storage.list(lamp, { where, sort, limit, offset }), expected)
  const last = expected.at(-1)
  if (!last) return
  const after = { values: sort.map(({ field }) => (last[field] ?? null) as string) }
  const next = list({ where, sort, limit, offset: offset + expected.length })
  assert.deepEqual(await storage.list(lamp, { where, sort, limit, after }), next)
}

/** Deletes or changes a record, now and then, and adds one. */
function writeTo(storage: Storage, n: number): Promise<void> {
  return storage.transaction(tester, async (transaction) => {
    const sort = [{ field: 'id', descending: false }]
    const [row] = await transaction.list(lamp, { where: equal('price', n % 500), sort, limit: 1 })
    const other = lampOf(rows + n)
    if (row && n % 3 === 0) await transaction.deleteAll(lamp, [row])
    if (row && n % 3 === 1)
      await transaction.update(lamp, row, { price: other.price, kind: other.kind, inStock: other.inStock })
    await transaction.insert(lamp, other)
  })
}

test('every list, page, cursor and total is what the plain statement says, while records change', async () => {
  const made = await setUp()
  await made.storage.count(lamp, always)
  let writes = 0
  const property = fc.asyncProperty(request, async (asked) => {
    await compareWithPlain(made, asked)
    writes += 1
    await writeTo(made.storage, writes)
  })
  await fc.assert(property, { numRuns: runs })
  await made.end()
})

test('the same while another process writes, one record or many', async () => {
  const made = await setUp()
  const other = await open(made.path)
  let writes = 0
  const property = fc.asyncProperty(request, async (asked) => {
    await compareWithPlain(made, asked)
    writes += 1
    await writeTo(other, writes)
    if (writes % 20 > 0) return
    const many = Array.from({ length: 30 }, (_, i) => lampOf(rows * 10 + writes * 30 + i))
    await other.transaction(tester, (transaction) => transaction.insertAll(lamp, many))
  })
  await fc.assert(property, { numRuns: Math.ceil(runs / 3) })
  await other.close()
  await made.end()
})
