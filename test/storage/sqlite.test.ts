/** The suites of storage on the embedded store. */
import { join } from 'node:path'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { removeFolder, temporaryFolder } from '../helpers/process.ts'
import type { Database } from './library.ts'
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
