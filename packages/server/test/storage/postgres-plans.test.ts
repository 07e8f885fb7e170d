/**
 * PostgreSQL's plans for important lists: each uses an index in the order of the list, or one for
 * words and parts of words.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster } from 'bindery-server/test'
import pg from 'pg'
import { postgresDialect } from '../../src/storage/postgres/dialect.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { makeStatements, type Statement } from '../../src/storage/sql/statements.ts'
import { lamp, lampCatalog, parseLamps } from './lamps.ts'

const name = 'plans'
const statements = makeStatements(lampCatalog, postgresDialect)
let client: pg.Client

before(async () => {
  const url = await makePostgresDatabase(sharedCluster(), name)
  await (await openPostgres({ url, connectionsMax: 2, prepare: true }, lampCatalog)).close()
  client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    INSERT INTO lamps (id, name, name_folded, maker, maker_folded, kind, kind_folded, in_stock, price, created_at, version, search)
    SELECT lpad(i::text, 36, '0'), 'Lamp ' || i, 'lamp ' || i, 'Maker ' || i, 'maker ' || i, 'K' || i % 50, 'k' || i % 50, i % 3 > 0, i,
      now() + i * interval '1 s', 1, chr(1) || 'lamp ' || chr(1) || i FROM generate_series(1, 20000) AS i`)
  await client.query('VACUUM ANALYZE')
})
after(async () => {
  await client.end()
  await dropPostgresDatabase(sharedCluster(), name)
})

async function planOf({ sql, parameters }: Statement): Promise<string> {
  const { rows } = await client.query({ text: `EXPLAIN ${sql}`, values: parameters, rowMode: 'array' })
  return rows.flat().join('\n')
}

const cases: readonly (readonly [string, RegExp])[] = [
  ['kind=K7&sort=price', /lamps_kind_price_id/],
  ['kind=K7&sort=-price', /Backward using lamps_kind_price_id/],
  ['kind=K7', /lamps_kind_created_at_id/],
  ['', /Backward using lamps_created_at_id_idx/],
  ['sort=-name', /Backward using lamps_name_id_idx/],
  ['minPrice=5&maxPrice=10&sort=price', /lamps_price_id_idx/],
]
for (const [query, index] of cases) {
  test(`lamps by "${query}": an index in their order, nothing sorted`, async () => {
    const { where, sort } = parseLamps(query)
    const plan = await planOf(statements.list(lamp, { where, sort, limit: 20, offset: 0 }))
    assert.match(plan, index)
    assert.doesNotMatch(plan, /Sort/)
  })
}

test('alternatives walk their indexes side by side, each up to the limit', async () => {
  const { where, sort } = parseLamps('kind[in]=K7,K8,K9&sort=-price')
  const plan = await planOf(statements.list(lamp, { where, sort, limit: 20, offset: 40 }))
  assert.equal(plan.match(/Limit[^\n]*\n[^\n]*Index Scan Backward using lamps_kind_price_id/g)?.length, 3, plan)
  assert.doesNotMatch(plan, /Seq Scan|Bitmap/)
})

test('a rare word is looked up, not searched for', async () => {
  const plan = await planOf(statements.count(lamp, parseLamps('q=lamp+1234').where))
  assert.match(plan, /lamps_search_idx/)
})

test('a part of a name is found by trigrams', async () => {
  const where = { kind: 'contains', field: 'maker', text: 'ker 1234' } as const
  assert.match(await planOf(statements.count(lamp, where)), /lamps_maker_folded_trgm_idx/)
})
