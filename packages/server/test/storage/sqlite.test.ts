/** The storage suites on SQLite, and what holds there alone. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { makeGenerations } from '../../src/storage/generations.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { changesSuite } from './changes-suite.ts'
import { type Database, fill, libraryCatalog, shelf, tester, updateWhere, volume } from './library.ts'
import { migrationSuite } from './migration-suite.ts'
import { storageSuite } from './suite.ts'
import { writingSuite } from './writing-suite.ts'

async function makeDatabase(): Promise<Database> {
  const folder = temporaryFolder()
  return {
    open: async (catalog) => openSqlite(join(folder, 'test.db'), catalog),
    async writePast(sql) {
      const other = new DatabaseSync(join(folder, 'test.db'))
      other.exec(sql)
      other.close()
    },
    remove: async () => removeFolder(folder),
  }
}

storageSuite('SQLite', makeDatabase)
changesSuite('SQLite', makeDatabase)
writingSuite('SQLite', makeDatabase)
migrationSuite('SQLite', makeDatabase)

test('a generation does not change with a write to other resources', async () => {
  const database = await makeDatabase()
  const storage = await database.open(libraryCatalog)
  await fill(storage, [{}])
  const generations = makeGenerations(storage.changes)
  const before = generations.of([shelf])
  await storage.transaction(tester, (transaction) =>
    updateWhere(transaction, { resource: volume, where: always, changes: { rank: 1 } }),
  )
  assert.equal(generations.of([shelf]), before)
  await storage.close()
  await database.remove()
})
