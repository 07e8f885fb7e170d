/** The suites of storage on the embedded store. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { always } from '../../src/operation/condition.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { type Database, fill, libraryCatalog, shelf, volume } from './library.ts'
import { migrationSuite } from './migration-suite.ts'
import { storageSuite } from './suite.ts'
import { writingSuite } from './writing-suite.ts'

async function makeDatabase(): Promise<Database> {
  const folder = temporaryFolder()
  return {
    open: async (catalog) => openSqlite(join(folder, 'test.db'), catalog),
    remove: async () => removeFolder(folder),
  }
}

storageSuite('SQLite', makeDatabase)
writingSuite('SQLite', makeDatabase)
migrationSuite('SQLite', makeDatabase)

test('a stamp does not change with a write to other resources', async () => {
  const database = await makeDatabase()
  const storage = await database.open(libraryCatalog)
  await fill(storage, [{}])
  const stamp = storage.stamp([shelf])
  await storage.transaction((transaction) => transaction.updateWhere(volume, always, { rank: 1 }))
  assert.equal(storage.stamp([shelf]), stamp)
  await storage.close()
  await database.remove()
})
