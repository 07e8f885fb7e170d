/**
 * The interface of a kind of database, such as SQLite or PostgreSQL. Each kind is one object in its
 * own folder, and one line in the list of `open.ts`. Only that list knows which kinds exist, and no
 * kind knows another.
 */
import type { Environment, Variable } from '../base/environment.ts'
import type { StorageMetrics } from '../observe/storage-metrics.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { StoredCheck } from '../resource/code/stored-check.ts'
import type { CopySource, CopyTarget } from './copy/copy-tables.ts'
import type { DatabaseCopy } from './copy/copy-target.ts'
import type { CostlyLimits } from './costly-reads.ts'
import type { Findings } from './finding.ts'
import type { LossFile } from './migrate/loss-file.ts'
import type { MigrateOptions, PlannedMigration } from './migrate/migrate-options.ts'
import type { MigrationStep } from './migrate/steps.ts'
import type { NativeBackup } from './native-backup.ts'
import type { NativeLog } from './native-log.ts'
import type { KeptBounds } from './sql/kept-bounds.ts'
import type { Storage } from './storage.ts'

/**
 * A configured database: its kind, and what that kind parsed from DATABASE_URL and the variables
 * beside it.
 */
export type ConfiguredDatabase = { readonly kind: DatabaseKind; readonly setup: unknown }

/**
 * The secrets that the service generates and keeps with the database: the key that signs access
 * tokens, and the secret of everything else.
 */
export const secretNames = ['jwt secret', 'jwt key'] as const
export type SecretName = (typeof secretNames)[number]

/** The name of its file, beside a database or in a backup: `jwt-secret`. */
export function secretFile(name: SecretName): string {
  return name.replace(' ', '-')
}

/**
 * When a start may create a missing database. `fresh`: no trace of an earlier database is there.
 * `empty`: the other files of one are there, but no log. `anew`: always; an old log is moved aside.
 */
export type CreateMode = 'fresh' | 'empty' | 'anew'

/** With this option a start creates a database `anew`. */
export const newDatabaseFlag = '--new-database'

export type OpenOptions = {
  /** Absent: an existing database is opened, and none is created. */
  readonly making?: CreateMode | undefined
  /** Traces of an earlier database outside its folder: a folder that has backups. */
  readonly traces?: readonly string[] | undefined
  /**
   * How long reads may share a snapshot of an embedded database (milliseconds); 0 where other
   * processes serve it too.
   */
  readonly heldMs: number
  /** Receives messages for the operator: the database is lost, or back. */
  readonly report?: ((message: string) => void) | undefined
  /** The memory limit of cached totals; by default 0, which keeps none. */
  readonly totalsBytesMax?: number | undefined
  /** Limits for the reads of callers; without them, reads have no limit. */
  readonly costly?: CostlyLimits | undefined
  /** Where a migration saves the data that it drops. */
  readonly losses?: LossFile | undefined
  /** The checks of records. A start counts the records that break one which is new. */
  readonly checks?: readonly StoredCheck[] | undefined
  /** The bounds of the log that is kept for readers of changes; by default 7 days and 1 GB. */
  readonly changesKept?: KeptBounds | undefined
  /** Observes statements and commits of the service, once it serves. */
  readonly watch?: StorageMetrics | undefined
}

/** A record that a rescued copy lacks. */
export type MissingRecord = {
  readonly table: string
  readonly id?: unknown
  /** The row number, where the id may not be known. */
  readonly row?: number
  readonly why: string
  /** The fields of it that could be read. */
  readonly record?: Readonly<Record<string, unknown>>
}
export type RescueOptions = {
  /** An empty folder on a disk with room for the whole database. */
  readonly folder: string
  readonly missing: (one: MissingRecord) => void
}

/** Values that an inspection of a database returns. */
export type DatabaseNotes = {
  readonly names: readonly string[]
  /** Notes by name, as the inspection found them; absent where the database could not be read. */
  found?: ReadonlyMap<string, string | undefined>
}

export type InspectOptions = {
  /**
   * Undefined where the declarations cannot be loaded: then only the database itself is inspected.
   */
  readonly catalog: Catalog | undefined
  /** Reads every row, however long that takes. */
  readonly deep: boolean
  readonly nowMs: number
  readonly notes?: DatabaseNotes | undefined
}

/**
 * Errors are the engine's own: `StartError` before serving, `ApiError` afterwards. `Setup` is
 * private to the kind. These are methods so that one list can hold kinds with different setups.
 */
export type DatabaseKind<Setup = unknown> = {
  /** The kind's name in the manifest of a backup. */
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
  /** Whether independent services may serve one database; they then also share rate limits. */
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
   * The setup for other work of this process on the open database. It fails on a database that has
   * replaced the open one.
   */
  joined?(setup: Setup): Setup
  /**
   * The steps that `migrate` would take. Throws `StartError` where `migrate` would; writes nothing.
   */
  plan(setup: Setup, catalog: Catalog, options: MigrateOptions): Promise<PlannedMigration>
  /**
   * Migrates to the current declarations. Throws `StartError` when data would be lost; nothing has
   * changed then.
   */
  migrate(setup: Setup, catalog: Catalog, options: MigrateOptions): Promise<readonly MigrationStep[]>
  /** Runs the work on a copy of the database, which is removed afterwards. */
  rehearse<T>(setup: Setup, work: (copy: Setup) => Promise<T>): Promise<T>
  /**
   * Stores this secret unless one is stored already. Returns the stored one, the same for all
   * processes on this database. Open the database first.
   */
  keepSecret(setup: Setup, drawn: string, name: SecretName): Promise<string>
  /** Replaces the stored secret. Throws `StartError` where it cannot be written. */
  replaceSecret(setup: Setup, text: string): Promise<void>
  /**
   * Examines the database without changing it, even one that cannot be served. Never throws: each
   * part that cannot be read is a finding.
   */
  inspect(findings: Findings, setup: Setup, options: InspectOptions): Promise<void>
  /** The secret with this name; undefined where none is stored. */
  findSecret(setup: Setup, name: SecretName): Promise<string | undefined>
  /** The note with this name; undefined where there is no note or no database. */
  findNote(setup: Setup, name: string): Promise<string | undefined>
  /** Stores a note for all processes on this database. Open the database first. */
  keepNote(setup: Setup, name: string, value: string): Promise<void>
  /** Whether part of it cannot be read; absent for databases that check themselves. */
  isDamaged?(setup: Setup): Promise<boolean>
  /**
   * Copies all readable records of a damaged database to a new one in the folder. Reports each lost
   * record to `missing`. Throws `StartError`.
   */
  rescue?(setup: Setup, catalog: Catalog, options: RescueOptions): Promise<Setup>
  /**
   * Why a restore cannot write here, as a sentence without a full stop; undefined for an empty
   * place.
   */
  occupation(setup: Setup): Promise<string | undefined>
  readonly ownBackup?: NativeBackup<Setup>
  /** For databases whose write-ahead log can be followed and copied. */
  readonly ownLog?: NativeLog<Setup>
  /**
   * Reads the database in one snapshot, despite concurrent writes. Throws `StartError` when there
   * is nothing to copy.
   */
  copyFrom<T>(setup: Setup, catalog: Catalog, work: (source: CopySource) => Promise<T>): Promise<T>
  /**
   * Commits all of the work or nothing, and leaves the mark in place until then. Throws
   * `StartError` when the database is not empty.
   */
  copyInto<T>(setup: Setup, copy: DatabaseCopy, work: (target: CopyTarget) => Promise<T>): Promise<T>
}
