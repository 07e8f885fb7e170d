/** The one place that knows which databases there are: what the configuration names, opened or only migrated. */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Database } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Catalog } from '../resource/catalog.ts'
import { addressOf } from './address.ts'
import type { Copied, CopySource, CopyTarget, CopyWatch } from './copy/copy-tables.ts'
import { type Step, stepsTo } from './model/migration.ts'
import { modelOf } from './model/model.ts'
import type { Storage } from './storage.ts'

export type OpenOptions = {
  /** How long reads may share a view of an embedded database (milliseconds); 0 where other processes serve it too. */
  readonly heldMs: number
  /** What whoever runs the service should read: a lost database, one that came back. */
  readonly report?: ((message: string) => void) | undefined
}

export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`Cannot make the folder ${path}: ${(error as Error).message}`)
  }
}

/** For a database that is made when it is not there. Throws `StartError`: a folder that is missing is more likely a mistyped address. */
function prepareFolder({ path, ownFolder }: Extract<Database, { kind: 'sqlite' }>): void {
  const folder = dirname(path)
  if (ownFolder) makeFolder(folder)
  else if (!existsSync(folder))
    throw new StartError(
      `There is no folder ${folder} for the database ${basename(path)}: make it, or correct the address`,
    )
}

/** Opens the database and brings it to today's declarations. Throws `StartError`: one clear reason, nothing changed. */
export async function openStorage(database: Database, catalog: Catalog, options: OpenOptions): Promise<Storage> {
  if (database.kind === 'postgres') {
    const { openPostgres } = await import('./postgres/store.ts')
    return openPostgres({ ...database, report: options.report }, catalog)
  }
  const { openSqlite } = await import('./sqlite/store.ts')
  prepareFolder(database)
  return openSqlite(database.path, catalog, options)
}

/** Brings the database to today's declarations, or only says how. Throws `StartError` when data would be lost; then nothing has changed. */
export async function migrateStorage(
  database: Database,
  catalog: Catalog,
  { dryRun }: { dryRun: boolean },
): Promise<readonly Step[]> {
  if (database.kind === 'postgres') {
    const { migratePostgres } = await import('./postgres/store.ts')
    return migratePostgres(database, catalog, { dryRun })
  }
  if (dryRun && !existsSync(database.path)) return stepsTo(undefined, modelOf(catalog))
  const { migrateSqlite } = await import('./sqlite/store.ts')
  prepareFolder(database)
  return migrateSqlite(database.path, catalog, { dryRun })
}

/**
 * One database into another, which must be empty; both are then compared. Throws `StartError`: one clear reason, and nothing of the copy
 * is in the target, which refuses to be served until a copy comes to its end.
 */
export async function copyStorage(
  { from, to }: { from: Database; to: Database },
  catalog: Catalog,
  watch: CopyWatch,
): Promise<readonly Copied[]> {
  const { copyTables } = await import('./copy/copy-tables.ts')
  const { markOf } = await import('./copy/copy-target.ts')
  const mark = markOf(addressOf(from), new Date())
  const work = (source: CopySource) => into((target) => copyTables(modelOf(catalog), { source, target }, watch))

  async function into<T>(write: (target: CopyTarget) => Promise<T>): Promise<T> {
    if (to.kind === 'postgres') {
      const { intoPostgres } = await import('./postgres/copy-end.ts')
      return intoPostgres({ url: to.url, mark }, catalog, write)
    }
    const { intoSqlite } = await import('./sqlite/copy-end.ts')
    prepareFolder(to)
    return intoSqlite({ path: to.path, mark }, catalog, write)
  }
  if (from.kind === 'postgres') {
    const { fromPostgres } = await import('./postgres/copy-end.ts')
    return fromPostgres(from.url, catalog, work)
  }
  if (!existsSync(from.path)) throw new StartError(`There is no database ${from.path}`)
  const { fromSqlite } = await import('./sqlite/copy-end.ts')
  return fromSqlite(from.path, catalog, work)
}
