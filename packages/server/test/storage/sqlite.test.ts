/** The storage suites on SQLite. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { changesSuite } from './changes-suite.ts'
import { effectsSuite } from './effects-suite.ts'
import { jobsSuite } from './jobs-suite.ts'
import { keptLogSuite } from './kept-log-suite.ts'
import type { Database } from './library.ts'
import { loggedValuesSuite } from './logged-values-suite.ts'
import { migrationSuite } from './migration-suite.ts'
import { namesSuite } from './names-suite.ts'
import { requiredSuite } from './required-suite.ts'
import { storageSuite } from './suite.ts'
import { writingSuite } from './writing-suite.ts'

async function makeDatabase(): Promise<Database> {
  const folder = temporaryFolder()
  return {
    open: async (catalog, options) =>
      openSqlite(join(folder, 'test.db'), catalog, { heldMs: 0, totalsBytesMax: 1_000_000, ...options }),
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
keptLogSuite('SQLite', makeDatabase)
loggedValuesSuite('SQLite', makeDatabase)
writingSuite('SQLite', makeDatabase)
migrationSuite('SQLite', makeDatabase)
requiredSuite('SQLite', makeDatabase)
namesSuite('SQLite', makeDatabase)
effectsSuite('SQLite', makeDatabase)
jobsSuite('SQLite', makeDatabase)
