/** The storage suites on PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster } from 'bindery-server/test'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import type { Database } from './library.ts'
import { migrationSuite } from './migration-suite.ts'
import { storageSuite } from './suite.ts'
import { writingSuite } from './writing-suite.ts'

async function makeDatabase(): Promise<Database> {
  const name = `storage_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  return {
    open: (catalog) => openPostgres({ url, connectionsMax: 4, prepare: true }, catalog),
    remove: () => dropPostgresDatabase(sharedCluster(), name),
  }
}

storageSuite('PostgreSQL', makeDatabase)
writingSuite('PostgreSQL', makeDatabase)
migrationSuite('PostgreSQL', makeDatabase)
