/** The database of a test: the embedded one in the test's folder, or one on PostgreSQL that belongs to this folder. `test/run.ts` says which. */
import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseUrl, dropPostgresDatabase, makePostgresDatabase, runSql, sharedCluster } from './postgres.ts'

export const onPostgres = process.env.BINDERY_TEST_DATABASE === 'postgres'

/** Those of this process that were asked for, so that many who ask at once make one. */
const made = new Map<string, Promise<string>>()

function nameOf(folder: string): string {
  return `test_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
}

/** Tells the runner that this file says nothing of its database, so that it is worth a run on the other. */
function noteTaken(): void {
  const { BINDERY_TEST_TAKEN: file } = process.env
  if (file) appendFileSync(file, `${process.argv[1]}\n`)
}

/** What the environment of a service with this data folder says besides. The same folder is the same database. */
export async function databaseOf(folder: string): Promise<Record<string, string>> {
  noteTaken()
  if (!onPostgres) return {}
  const making = made.get(folder) ?? makePostgresDatabase(sharedCluster(), nameOf(folder))
  made.set(folder, making)
  return { DATABASE_URL: await making }
}

/** Nobody may need it any more; its folder is the caller's to remove. */
export async function removeDatabase(folder: string): Promise<void> {
  if (onPostgres) await dropPostgresDatabase(sharedCluster(), nameOf(folder))
}

async function storedOnPostgres(folder: string): Promise<string> {
  const url = databaseUrl(sharedCluster(), nameOf(folder))
  const tables = await runSql(
    url,
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
  // The secret of a service that was given none is the one that is kept as it is.
  const rows = await Promise.all(
    tables.map(({ relname }) =>
      runSql(
        url,
        `SELECT row_to_json(t)::text AS row FROM "${relname}" t WHERE row_to_json(t)->>'name' IS DISTINCT FROM 'jwt secret'`,
      ),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

/** Every value that is stored, as text; of the embedded store also the bytes of its files. */
export async function everythingStored(folder: string): Promise<string> {
  if (onPostgres) return storedOnPostgres(folder)
  const names = readdirSync(folder).filter((name) => name !== 'jwt-secret')
  const bytes = names.map((name) => readFileSync(join(folder, name), 'latin1'))
  const database = new DatabaseSync(join(folder, 'bindery.db'), { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all()
  const rows = tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()))
  database.close()
  return [...bytes, ...rows].join('\n')
}
