/** Reads that may take long, on both databases. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
import { costlySuite } from './costly-suite.ts'

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
