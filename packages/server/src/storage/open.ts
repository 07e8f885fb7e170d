/**
 * Chooses the configured database, and parses, opens, migrates and copies it. Only this file knows
 * which kinds of databases exist.
 */
import { type Environment, fail, type Variable } from '../base/environment.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { CopiedTable, CopyListener, CopySource } from './copy/copy-tables.ts'
import type { ConfiguredDatabase, DatabaseKind, OpenOptions, SecretName } from './database-kind.ts'
import type { MigrateOptions, PlannedMigration } from './migrate/migrate-options.ts'
import type { MigrationStep } from './migrate/steps.ts'
import { postgresDatabase } from './postgres/kind.ts'
import { sqliteDatabase } from './sqlite/kind.ts'
import type { Storage } from './storage.ts'

/** Each kind describes itself; the code that it needs to work is loaded on first use. */
export const databaseKinds: readonly DatabaseKind[] = [sqliteDatabase, postgresDatabase]

/** `sqlite:PATH or postgres://…` */
export const addressForms = databaseKinds.map(({ form }) => form).join(' or ')

const otherwise = databaseKinds.flatMap((kind) => kind.otherwise ?? [])[0] ?? ''

export const databaseVariables: readonly Variable[] = [
  {
    name: 'DATABASE_URL',
    takes: 'address',
    value: otherwise,
    about: addressForms,
    more: 'The folder of a file must exist. See [The address of PostgreSQL](database-address.md).',
    isSecret: true,
  },
  ...databaseKinds.flatMap(({ variables }) => variables),
]

/**
 * Parses `DATABASE_URL` and the variables beside it. Throws `StartError` without the address, which
 * may hold a password.
 */
export function parseDatabase(env: Environment, dataDir: string): ConfiguredDatabase {
  const address = env.DATABASE_URL || otherwise.replace('$DATA_DIR', () => dataDir)
  for (const kind of databaseKinds) {
    const setup = kind.parse(address, { env, dataDir })
    if (setup !== undefined) return { kind, setup }
  }
  return fail('DATABASE_URL', `must be ${addressForms}`)
}

/** `sqlite:/data/bindery.db`: names the database in words that hold no password. */
export function describeDatabase({ kind, setup }: ConfiguredDatabase): string {
  return kind.describe(setup)
}

export function isSameDatabase(a: ConfiguredDatabase, b: ConfiguredDatabase): boolean {
  return a.kind === b.kind && a.kind.isSame(a.setup, b.setup)
}

/**
 * Opens the database and migrates it to the current declarations. Throws `StartError` with one
 * clear reason; nothing has changed then.
 */
export function openStorage(
  { kind, setup }: ConfiguredDatabase,
  catalog: Catalog,
  options: OpenOptions,
): Promise<Storage> {
  return kind.open(setup, catalog, options)
}

/**
 * The database that this process has open, for work beside its storage: never another one that has
 * replaced it.
 */
export function joinedDatabase({ kind, setup }: ConfiguredDatabase): ConfiguredDatabase {
  return { kind, setup: kind.joined ? kind.joined(setup) : setup }
}

/**
 * The secret that all processes on this database share: `drawn`, unless one is stored already.
 * Throws `StartError`.
 */
export function keepSecret(
  { kind, setup }: ConfiguredDatabase,
  drawn: string,
  name: SecretName = 'jwt secret',
): Promise<string> {
  return kind.keepSecret(setup, drawn, name)
}

/**
 * Migrates to the current declarations, or only lists the steps. Throws `StartError` when data
 * would be lost; nothing has changed then.
 */
export async function migrateStorage(
  database: ConfiguredDatabase,
  catalog: Catalog,
  { dryRun = false, ...options }: MigrateOptions & { readonly dryRun?: boolean } = {},
): Promise<readonly MigrationStep[]> {
  if (dryRun) return (await planStorage(database, catalog, options)).steps
  return database.kind.migrate(database.setup, catalog, options)
}

/**
 * The steps that `migrateStorage` would take, with the SQL of each. Throws `StartError` where it
 * would.
 */
export function planStorage(
  { kind, setup }: ConfiguredDatabase,
  catalog: Catalog,
  options: MigrateOptions = {},
): Promise<PlannedMigration> {
  return kind.plan(setup, catalog, options)
}

/**
 * Migrates a copy of the database, which is removed afterwards. Returns how long it took. Throws
 * like `migrateStorage`.
 */
export async function rehearseMigration(
  { kind, setup }: ConfiguredDatabase,
  catalog: Catalog,
  options: MigrateOptions = {},
): Promise<{ readonly steps: readonly MigrationStep[]; readonly ms: number }> {
  return kind.rehearse(setup, async (copy) => {
    const beganMs = performance.now()
    const steps = await kind.migrate(copy, catalog, options)
    return { steps, ms: performance.now() - beganMs }
  })
}

/**
 * Reads the database in one snapshot, despite concurrent writes. Throws `StartError` when it does
 * not fit the declarations.
 */
export function readStorage<T>(
  { kind, setup }: ConfiguredDatabase,
  catalog: Catalog,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return kind.copyFrom(setup, catalog, work)
}

type FillStorage = CopyListener & {
  readonly catalog: Catalog
  readonly source: CopySource
  /** The source and the command of a copy, in words for an operator who finds it interrupted. */
  readonly from: string
  readonly command: string
}

/**
 * Copies the source into a database, which must be empty, and compares both. Throws `StartError`
 * with one clear reason; then the target has no row of the copy, and refuses to start until a copy
 * completes.
 */
export async function fillStorage(
  { kind, setup }: ConfiguredDatabase,
  filling: FillStorage,
): Promise<readonly CopiedTable[]> {
  const { copyTables } = await import('./copy/copy-tables.ts')
  const { markOf } = await import('./copy/copy-target.ts')
  const { catalog, source, from, command } = filling
  const mark = markOf(from, command, Date.now())
  return kind.copyInto(setup, { catalog, tables: source.tables, mark }, (target) =>
    copyTables({ source, target }, filling),
  )
}

/** Copies one database into another. Throws what `readStorage` and `fillStorage` throw. */
export async function copyStorage(
  { from, to }: { readonly from: ConfiguredDatabase; readonly to: ConfiguredDatabase },
  catalog: Catalog,
  watch: CopyListener,
): Promise<readonly CopiedTable[]> {
  const named = { from: describeDatabase(from), command: 'bindery copy' }
  const { withinCounters } = await import('./copy/copy-tables.ts')
  return readStorage(from, catalog, (source) =>
    fillStorage(to, { ...watch, ...named, catalog, source: withinCounters(source) }),
  )
}
