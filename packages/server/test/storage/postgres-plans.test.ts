/** The plans of PostgreSQL for the lists that matter: an index that is already in the order of the list, and one for words and parts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { resources } from '../../../../apps/shop/resources/index.ts'
import { parseList } from '../../src/operation/list-query.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { postgresDialect } from '../../src/storage/postgres/dialect.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { makeStatements, type Statement } from '../../src/storage/sql/statements.ts'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster } from '../helpers/service.ts'

const name = 'plans'
const catalog = makeCatalog(resources)
const product = catalog.get('product')
const statements = makeStatements(catalog, postgresDialect)
let client: pg.Client

before(async () => {
  const url = await makePostgresDatabase(sharedCluster(), name)
  await (await openPostgres({ url, connectionsMax: 2, prepare: true }, catalog)).close()
  client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    INSERT INTO products (id, name, name_folded, category, category_folded, in_stock, price, created_at, updated_at, version, search)
    SELECT lpad(i::text, 36, '0'), 'Lamp ' || i, 'lamp ' || i, 'C' || i % 50, 'c' || i % 50, i % 3 > 0, i, now() + i * interval '1 s', now(), 1,
      chr(1) || 'lamp ' || chr(1) || i FROM generate_series(1, 20000) AS i`)
  await client.query(
    "INSERT INTO books (title, title_folded, author, author_folded, year, version) SELECT 't', 't', 'Author ' || i, 'author ' || i, 2000, 1 FROM generate_series(1, 20000) AS i",
  )
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
  ['category=C7&sort=price', /products_category_price_id/],
  ['category=C7&sort=-price', /Backward using products_category_price_id/],
  ['category=C7', /products_category_created_at_id/],
  ['', /Backward using products_created_at_id_idx/],
  ['sort=-name', /Backward using products_name_id_idx/],
  ['minPrice=5&maxPrice=10&sort=price', /products_price_id_idx/],
]
for (const [query, index] of cases) {
  test(`products by "${query}": an index in their order, nothing sorted`, async () => {
    const { query: list } = parseList(
      { resource: product, visible: new Set(product.fieldNames) },
      new Map(new URLSearchParams(query)),
    )
    const plan = await planOf(statements.list(product, { where: list.where, sort: list.sort, limit: 20, offset: 0 }))
    assert.match(plan, index)
    assert.doesNotMatch(plan, /Sort/)
  })
}

test('a rare word is looked up, not searched for', async () => {
  const { query } = parseList(
    { resource: product, visible: new Set(product.fieldNames) },
    new Map([['q', 'lamp 1234']]),
  )
  const plan = await planOf(statements.count(product, query.where))
  assert.match(plan, /products_search_idx/)
})

test('a part of a name is found by trigrams', async () => {
  const book = catalog.get('book')
  const where = { kind: 'contains', field: 'author', text: 'hor 1234' } as const
  assert.match(await planOf(statements.count(book, where)), /books_author_folded_trgm_idx/)
})
