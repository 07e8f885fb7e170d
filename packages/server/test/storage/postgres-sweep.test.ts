/** The sweep of PostgreSQL's change log takes rows in their order, and by the index. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropPostgresDatabase, makePostgresDatabase, runSql, sharedCluster } from 'bindery-server/test'
import { defineResource, integerId } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { nextSql, oldestSql } from '../../src/storage/postgres/write/sweep-changes.ts'
import type { Storage } from '../../src/storage/storage.ts'

const name = 'sweep'
const catalog = makeCatalog([
  defineResource({
    ...{ name: 'cup', path: '/cups', changes: true, access: {}, list: { style: 'page' } },
    fields: { id: integerId() },
  }),
])
let url: string
let storage: Storage

before(async () => {
  url = await makePostgresDatabase(sharedCluster(), name)
  // Room for two rows.
  const changesKept = { ms: 7 * 86_400_000, bytesMax: 500 }
  storage = await openPostgres({ url, connectionsMax: 2, prepare: true, changesKept }, catalog)
})
after(async () => {
  await storage.close()
  await dropPostgresDatabase(sharedCluster(), name)
})

/** Rows of an earlier time, of transactions before all of this database. */
async function log(xids: string): Promise<void> {
  await runSql(
    url,
    `INSERT INTO bindery_changes (xid, at_ms, resource, kind, id, version, records, credential, detail, settles, ends)
     SELECT x::text::xid8, $1, 'cup', 'insert', '1', 1, NULL, 'test', '{}', x + 1, x FROM ${xids} AS x`,
    [Date.now() - 3_600_000],
  )
}
const kept = async () =>
  (await runSql(url, 'SELECT xid::text FROM bindery_changes ORDER BY bindery_changes.xid')).map(({ xid }) => xid)

test('the oldest rows go first, also where their transactions have fewer digits', async () => {
  await log('unnest(ARRAY[98, 99, 100, 101])')
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await storage.changes.sweep()
  assert.deepEqual(await kept(), ['100', '101'])
})

test('each step reads its rows by the index, and sorts none', async () => {
  await log('generate_series(102, 700), generate_series(1, 30)')
  await runSql(url, 'VACUUM ANALYZE bindery_changes')
  const steps: readonly [string, unknown[]][] = [
    [nextSql, ['101', 9, 5_000]],
    [oldestSql, ['650', 9, 1]],
  ]
  for (const [sql, values] of steps) {
    const plan = (await runSql(url, `EXPLAIN ${sql}`, values)).map((line) => line['QUERY PLAN']).join('\n')
    assert.match(plan, /Index Scan using bindery_changes_pkey/)
    assert.doesNotMatch(plan, /Sort|Seq Scan/)
  }
})
