/**
 * The database of a test: SQLite in the test's folder, or a database on PostgreSQL for this folder.
 * `test/run.ts` chooses. Without its PostgreSQL, the process starts one for as long as it has
 * databases there.
 */
import { hash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Cluster,
  databaseUrl,
  dropPostgresDatabase,
  makePostgresDatabase,
  runSql,
  sharedCluster,
  startCluster,
} from './postgres.ts'

export const onPostgres = process.env.BINDERY_TEST_DATABASE === 'postgres'

/** The databases of this process, so that concurrent callers make only one. */
const made = new Map<string, Promise<string>>()

/** The PostgreSQL that this process started, where the runner has none. */
const own: { cluster: Promise<Cluster> | undefined } = { cluster: undefined }

async function clusterUrl(): Promise<string> {
  if (process.env.BINDERY_TEST_POSTGRES) return sharedCluster()
  own.cluster ??= startCluster()
  return (await own.cluster).url
}

function nameOf(folder: string): string {
  return `test_${hash('sha256', folder, 'hex').slice(0, 16)}`
}

/**
 * Tells the runner that this test file takes the chosen database, so that a run on the other one
 * makes sense.
 */
function noteTaken(): void {
  const { BINDERY_TEST_TAKEN: file, BINDERY_TEST_FILE: one = process.argv[1] } = process.env
  if (file) appendFileSync(file, `${one}\n`)
}

export type DatabaseName = 'sqlite' | 'postgres'

/**
 * The variables that a service with this data folder needs for its database. Equal folders have the
 * same database. `on`: this kind, regardless of the run.
 */
export async function databaseOf(folder: string, on?: DatabaseName): Promise<Record<string, string>> {
  if (!on) noteTaken()
  if (on === 'sqlite') return { DATABASE_URL: '' }
  if (!on && !onPostgres) return {}
  const making = made.get(folder) ?? clusterUrl().then((url) => makePostgresDatabase(url, nameOf(folder)))
  made.set(folder, making)
  return { DATABASE_URL: await making }
}

/**
 * Call it when the database is no longer used; the caller removes the folder. The last one stops
 * the PostgreSQL that this process started.
 */
export async function removeDatabase(folder: string): Promise<void> {
  if (!made.delete(folder)) return
  await dropPostgresDatabase(await clusterUrl(), nameOf(folder))
  const { cluster } = own
  if (made.size > 0 || !cluster) return
  own.cluster = undefined
  await (await cluster).remove()
}

async function storedOnPostgres(folder: string): Promise<string> {
  const url = databaseUrl(await clusterUrl(), nameOf(folder))
  const tables = await runSql(
    url,
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
  // Leaves out the secrets of access tokens, the only ones that are stored in plain text.
  const rows = await Promise.all(
    tables.map(({ relname }) =>
      runSql(
        url,
        `SELECT row_to_json(t)::text AS row FROM "${relname}" t WHERE row_to_json(t)->>'name' IS NULL OR row_to_json(t)->>'name' NOT IN ('jwt secret', 'jwt key')`,
      ),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

/** Every stored value, as text; for the embedded store also the bytes of its files. */
export async function everythingStored(folder: string): Promise<string> {
  if (onPostgres) return storedOnPostgres(folder)
  const { DatabaseSync } = await import('node:sqlite')
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (one) => one.isFile() && !one.name.startsWith('jwt-'),
  )
  const bytes = files.map(({ name }) => readFileSync(join(folder, name), 'latin1'))
  const database = new DatabaseSync(join(folder, 'bindery.db'), { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all()
  const rows = tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()))
  database.close()
  return [...bytes, ...rows].join('\n')
}
