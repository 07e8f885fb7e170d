/**
 * Everything that a kind of database is to the rest of the engine: one object in its own folder,
 * and one line in the list of `open.ts`. Nothing else knows which kinds exist, and no kind knows
 * another.
 */
import type { Environment, Variable } from '../base/environment.ts'
import type { StorageMetrics } from '../observe/storage-metrics.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { CopySource, CopyTarget } from './copy/copy-tables.ts'
import type { DatabaseCopy } from './copy/copy-target.ts'
import type { CostlyLimits } from './costly-reads.ts'
import type { Findings } from './finding.ts'
import type { LossFile } from './migrate/loss-file.ts'
import type { MigrateOptions, PlannedMigration } from './migrate/migrate-options.ts'
import type { MigrationStep } from './migrate/steps.ts'
import type { NativeBackup } from './native-backup.ts'
import type { NativeLog } from './native-log.ts'
import type { Storage } from './storage.ts'

/**
 * A configured database: its kind, and what that kind parsed from DATABASE_URL and the variables
 * beside it.
 */
export type ConfiguredDatabase = { readonly kind: DatabaseKind; readonly setup: unknown }

/**
 * What the service makes for itself and keeps with the database: what signs access tokens, and the
 * secret of everything else.
 */
export const secretNames = ['jwt secret', 'jwt key'] as const
export type SecretName = (typeof secretNames)[number]

/** The name of its file, beside a database or in a backup: `jwt-secret`. */
export function secretFile(name: SecretName): string {
  return name.replace(' ', '-')
}

/**
 * How a database may be made where there is none: `fresh` where nothing says that there was one,
 * `empty` beside what it has left, but for a log, and `anew` in any case: its log is moved aside.
 */
export type CreateMode = 'fresh' | 'empty' | 'anew'

/** With it a start makes a database `anew`. */
export const newDatabaseFlag = '--new-database'

export type OpenOptions = {
  /** Absent, a database is opened where it is there, and nothing is made. */
  readonly making?: CreateMode | undefined
  /** Signs outside its folder that there was a database: a folder that has backups. */
  readonly traces?: readonly string[] | undefined
  /**
   * How long reads may share a snapshot of an embedded database (milliseconds); 0 where other
   * processes serve it too.
   */
  readonly heldMs: number
  /** Receives messages for the operator: the database is lost, or back. */
  readonly report?: ((message: string) => void) | undefined
  /** How much memory kept totals may take; by default 0, and none are kept. */
  readonly totalsBytesMax?: number | undefined
  /** Bounds for the reads of callers; without them, a read may take as long as it likes. */
  readonly costly?: CostlyLimits | undefined
  /** Where a migration keeps what it drops. */
  readonly losses?: LossFile | undefined
  /** Sees statements and commits of the service, once it serves. */
  readonly watch?: StorageMetrics | undefined
}

/** A record that a rescued copy lacks. */
export type MissingRecord = {
  readonly table: string
  readonly id?: unknown
  /** Its number, where its id may not be known. */
  readonly row?: number
  readonly why: string
  /** The part of it that was read all the same. */
  readonly record?: Readonly<Record<string, unknown>>
}
export type RescueOptions = {
  /** An empty folder on a disk with room for the whole database. */
  readonly folder: string
  readonly missing: (one: MissingRecord) => void
}

/** What is asked of a database's notes about itself. */
export type DatabaseNotes = {
  readonly names: readonly string[]
  /** By name, as the examination found them; absent where the database could not be asked. */
  found?: ReadonlyMap<string, string | undefined>
}

export type InspectOptions = {
  /**
   * Undefined where the declarations cannot be loaded: then only the database itself is looked at.
   */
  readonly catalog: Catalog | undefined
  /** Reads everything, however long that takes. */
  readonly deep: boolean
  readonly nowMs: number
  readonly notes?: DatabaseNotes | undefined
}

/**
 * Errors are thrown in the engine's words: `StartError` before serving, `ApiError` afterwards.
 * `Setup` is private to the kind; these are methods so that one list can hold kinds with different
 * setups.
 */
export type DatabaseKind<Setup = unknown> = {
  /** What a backup says of where it is from. */
  readonly name: string
  /** The form of its addresses: `sqlite:PATH` */
  readonly form: string
  /** An example address. */
  readonly example: string
  /** Advice for people who write an address on a command line. */
  readonly advice?: string
  /**
   * The address used when DATABASE_URL is not set; exactly one kind has it. `$DATA_DIR` stands for
   * the data folder.
   */
  readonly otherwise?: string
  /** Its variables besides DATABASE_URL. */
  readonly variables: readonly Variable[]
  /**
   * Whether services that know nothing of each other may serve one database; they then also count
   * requests together.
   */
  readonly isShared: boolean
  /** Where `keepSecret` keeps the secret, in words for people. */
  readonly secretAt: string

  /**
   * Undefined when the address is not of this kind. Throws `StartError` without the address, which
   * may hold a password. `dataDir`: the folder for what the service keeps in files.
   */
  parse(address: string, given: { readonly env: Environment; readonly dataDir: string }): Setup | undefined
  /** Names the database in words that hold no password. */
  describe(setup: Setup): string
  /** Also true for two addresses of one database. */
  isSame(a: Setup, b: Setup): boolean

  /**
   * Opens the database and migrates it to the current declarations; nothing has changed when it
   * throws.
   */
  open(setup: Setup, catalog: Catalog, options: OpenOptions): Promise<Storage>
  /**
   * The same for those who work on it beside the storage that this process has open: on that
   * database, and on none that has taken its place.
   */
  joined?(setup: Setup): Setup
  /** What `migrate` would do. Throws `StartError` where it would; nothing is written. */
  plan(setup: Setup, catalog: Catalog, options: MigrateOptions): Promise<PlannedMigration>
  /**
   * Migrates to the current declarations. Throws `StartError` when data would be lost; nothing has
   * changed then.
   */
  migrate(setup: Setup, catalog: Catalog, options: MigrateOptions): Promise<readonly MigrationStep[]>
  /** Runs the work on a copy of the database, which is removed afterwards. */
  rehearse<T>(setup: Setup, work: (copy: Setup) => Promise<T>): Promise<T>
  /**
   * Keeps this secret unless one was kept before, and returns the kept one, the same for all who
   * serve this database. Open the database first.
   */
  keepSecret(setup: Setup, drawn: string, name: SecretName): Promise<string>
  /**
   * Keeps this text in place of the kept secret. Throws `StartError` where it cannot be written.
   */
  replaceSecret(setup: Setup, text: string): Promise<void>
  /**
   * Examines the database without changing it, also where it cannot be served. Never throws: what
   * cannot be looked at is a finding.
   */
  inspect(findings: Findings, setup: Setup, options: InspectOptions): Promise<void>
  /** What is kept under this name; undefined where nothing is. */
  findSecret(setup: Setup, name: SecretName): Promise<string | undefined>
  /** What was noted under this name; undefined where there is nothing, or no database. */
  findNote(setup: Setup, name: string): Promise<string | undefined>
  /** Notes something for all who work on this database. Open the database first. */
  keepNote(setup: Setup, name: string, value: string): Promise<void>
  /** Whether something of it cannot be read; absent where a database sees to that itself. */
  isDamaged?(setup: Setup): Promise<boolean>
  /**
   * Copies all readable records of a damaged database to a new one in the folder. `missing` is told
   * of each record that is not in it. Throws `StartError`.
   */
  rescue?(setup: Setup, catalog: Catalog, options: RescueOptions): Promise<Setup>
  /**
   * Why nothing can be restored here, as a sentence without an end; undefined for an empty place.
   */
  occupation(setup: Setup): Promise<string | undefined>
  readonly ownBackup?: NativeBackup<Setup>
  /** Where its log can be followed and copied. */
  readonly ownLog?: NativeLog<Setup>
  /**
   * Reads the database in one snapshot, whatever others write meanwhile. Throws `StartError` when
   * there is nothing to copy.
   */
  copyFrom<T>(setup: Setup, catalog: Catalog, work: (source: CopySource) => Promise<T>): Promise<T>
  /**
   * Commits all of the work or nothing, and leaves the mark in place until then. Throws
   * `StartError` when the database is not empty.
   */
  copyInto<T>(setup: Setup, copy: DatabaseCopy, work: (target: CopyTarget) => Promise<T>): Promise<T>
}
