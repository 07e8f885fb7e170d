/** Runs the suite of costly reads on both databases. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import { limits } from '../../src/limits.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { costlySuite, endless, fillSql, grain, grainCatalog, makeAsker } from './costly-suite.ts'

costlySuite('SQLite', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  return {
    open: (catalog, costly) => openSqlite(path, catalog, { heldMs: 0, costly: { ...limits.costly, ...costly } }),
    async writePast(sql) {
      const other = new DatabaseSync(path)
      other.exec(sql)
      other.close()
    },
    remove: async () => removeFolder(folder),
  }
})

costlySuite('PostgreSQL', async () => {
  const name = `costly_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  return {
    // Half of the connections serve costly reads: one.
    open: (catalog, costly) =>
      openPostgres({ url, connectionsMax: 3, prepare: true, costly: { ...limits.costly, ...costly } }, catalog),
    async writePast(sql) {
      await runSql(url, sql)
    },
    remove: () => dropPostgresDatabase(sharedCluster(), name),
  }
})

test('on PostgreSQL another session cancels a read: the caller gets no client error', async (t) => {
  const name = `costly_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  const costly = { ...limits.costly, readMsMax: 60_000 }
  const storage = await openPostgres({ url, connectionsMax: 3, prepare: true, costly }, grainCatalog)
  t.after(async () => {
    await storage.close()
    await dropPostgresDatabase(sharedCluster(), name)
  })
  await runSql(url, fillSql)
  let isOver = false
  const read = storage.by(makeAsker('a')).list(grain, { where: endless, sort: [], limit: 20, offset: 0 })
  const end = read
    .catch((error: unknown) => error)
    .finally(() => {
      isOver = true
    })
  while (!isOver)
    await runSql(
      url,
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
       AND query LIKE '%grains%' AND pid <> pg_backend_pid()`,
    )
  assert.equal(((await end) as { code?: string }).code, 'unavailable')
})
