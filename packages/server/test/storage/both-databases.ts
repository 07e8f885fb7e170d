/** Opens an empty database of each kind with one catalog, for tests that compare both. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import type { Catalog } from '../../src/resource/catalog.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** Each with its name. They are closed and removed when the test ends. */
export async function openBoth(t: TestContext, catalog: Catalog): Promise<[string, Storage][]> {
  const folder = temporaryFolder()
  const name = `both_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  const sqlite = await openSqlite(join(folder, 'both.db'), catalog)
  const postgres = await openPostgres({ url, connectionsMax: 2, prepare: true }, catalog)
  t.after(async () => {
    await Promise.all([sqlite.close(), postgres.close()])
    removeFolder(folder)
    await dropPostgresDatabase(sharedCluster(), name)
  })
  return [
    ['SQLite', sqlite],
    ['PostgreSQL', postgres],
  ]
}
