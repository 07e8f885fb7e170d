/**
 * PostgreSQL's plans of the queue of effects beside an open transaction. The rows of done effects
 * stay, dead, in a table that looks empty. Each statement of a claim finds its rows by an index
 * that leads to them alone.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster } from 'bindery-server/test'
import pg from 'pg'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { effectDialect } from '../../src/storage/postgres/write/effects-table.ts'
import { byIndexesAlone } from '../../src/storage/postgres/write/run-transaction.ts'
import { textsOf } from '../../src/storage/sql/effect-statements.ts'
import { lampCatalog } from './lamps.ts'

const name = 'effect_plans'
const texts = textsOf(effectDialect)
let client: pg.Client
let open: pg.Client

const leave = (first: number, last: number) =>
  client.query(`INSERT INTO bindery_effects (id, kind, key, in_order, due_ms, left_ms, payload)
    SELECT 'e' || i, 'noop', 'k' || i, 1, i, i, repeat('x', 60) FROM generate_series(${first}, ${last}) AS i`)

before(async () => {
  const url = await makePostgresDatabase(sharedCluster(), name)
  await (await openPostgres({ url, connectionsMax: 2, prepare: true }, lampCatalog)).close()
  open = new pg.Client(url)
  client = new pg.Client(url)
  await Promise.all([open.connect(), client.connect()])
  await open.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await open.query('SELECT 1 FROM bindery_effects')
  await leave(1, 5000)
  await client.query('DELETE FROM bindery_effects')
  await client.query('VACUUM ANALYZE bindery_effects')
  await leave(5001, 5050)
  await client.query("SET plan_cache_mode = 'force_generic_plan'")
})
after(async () => {
  await Promise.all([open.end(), client.end()])
  await dropPostgresDatabase(sharedCluster(), name)
})

/** With the plan that is kept for all values. */
async function planOf(sql: string, values: readonly unknown[]): Promise<string> {
  const list = values.map((value) => (typeof value === 'number' ? `${value}` : `'${JSON.stringify(value)}'`)).join()
  await client.query(`BEGIN; ${byIndexesAlone}; PREPARE claim AS ${sql}`)
  const { rows } = await client.query({ text: `EXPLAIN EXECUTE claim(${list})`, rowMode: 'array' })
  await client.query('ROLLBACK; DEALLOCATE claim')
  return rows.flat().join('\n')
}

const numbers = [5001, 5002]
const keys = numbers.map((one) => ['noop', `k${one}`])
const cases = [
  ['firsts', [keys], /_line_idx/],
  ['promote', [keys, 9], /_line_idx/],
  ['mine', [numbers, 'one'], /_pkey/],
  ['claim', [numbers, 'one', 9], /_pkey/],
  ['done', [numbers], /_pkey/],
] as const
for (const [statement, values, index] of cases) {
  test(`${statement}: no dead row is read`, async () => {
    const plan = await planOf(texts[statement], values)
    assert.match(plan, index)
    assert.doesNotMatch(plan, /Seq Scan|Hash|Filter: .*key =/)
  })
}
