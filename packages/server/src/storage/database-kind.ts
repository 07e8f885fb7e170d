/**
 * All that a kind of database is to the rest of the engine: one object in its own folder, and one line in the list of `open.ts`. Nobody
 * else knows which kinds there are, and none of them knows another.
 */
import type { Environment, Variable } from '../environment.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { CopySource, CopyTarget } from './copy/copy-tables.ts'
import type { Step } from './model/migration.ts'
import type { Storage } from './storage.ts'

/** A database that was configured: its kind, and what this kind made of DATABASE_URL and the variables beside it. */
export type Database = { readonly kind: DatabaseKind; readonly setup: unknown }

export type OpenOptions = {
  /** How long reads may share a view of an embedded database (milliseconds); 0 where other processes serve it too. */
  readonly heldMs: number
  /** What whoever runs the service should read: a lost database, one that came back. */
  readonly report?: ((message: string) => void) | undefined
}

/**
 * What is thrown is said in the engine's words: `StartError` by what comes before serving, `ApiError` besides. `Setup` is this kind's own;
 * these are methods so that one list holds kinds of every setup.
 */
export type DatabaseKind<Setup = unknown> = {
  /** What its addresses look like: `sqlite:PATH` */
  readonly form: string
  /** An address, to show how it is written. */
  readonly example: string
  /** What whoever writes an address on a command line should know. */
  readonly advice?: string
  /** The address where DATABASE_URL is not set; one kind has it. `$DATA_DIR` stands for the data folder. */
  readonly otherwise?: string
  /** Its own variables besides DATABASE_URL. */
  readonly variables: readonly Variable[]
  /** Whether services that know nothing of each other may serve one database: then they also count together. */
  readonly isShared: boolean
  /** Where `keepSecret` keeps it, for people. */
  readonly secretAt: string

  /**
   * Undefined when the address is not one of its own. Throws `StartError` without the address: it may hold a password. `dataDir`: the
   * folder for what the service keeps in files.
   */
  parse(address: string, given: { readonly env: Environment; readonly dataDir: string }): Setup | undefined
  /** Which database is meant, in words that hold no password. */
  describe(setup: Setup): string
  /** Also by another name of the same. */
  isSame(a: Setup, b: Setup): boolean

  /** Opens it and brings it to today's declarations; nothing has changed when it throws. */
  open(setup: Setup, catalog: Catalog, options: OpenOptions): Promise<Storage>
  /** Brings it to today's declarations, or only says how. Throws `StartError` when data would be lost; then nothing has changed. */
  migrate(setup: Setup, catalog: Catalog, options: { readonly dryRun: boolean }): Promise<readonly Step[]>
  /** The secret that was kept first, the same for everybody who serves this database: this one, when there was none. It has been opened. */
  keepSecret(setup: Setup, drawn: string): Promise<string>
  /** Reads it in one view, whatever others write meanwhile. Throws `StartError` when there is nothing to copy. */
  copyFrom<T>(setup: Setup, catalog: Catalog, work: (source: CopySource) => Promise<T>): Promise<T>
  /** Keeps all of the work or nothing, and the mark until the work is kept. Throws `StartError` when there is anything in it. */
  copyInto<T>(
    setup: Setup,
    copy: { readonly catalog: Catalog; readonly mark: string },
    work: (target: CopyTarget) => Promise<T>,
  ): Promise<T>
}
