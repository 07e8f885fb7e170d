/**
 * The change log: each write adds one row, in its own transaction. Everything derived from records
 * reads it: what identity remembers, kept totals and pages, and what other processes wrote. A
 * reader receives each change once and is told when it missed some. How rows are stored is each
 * database's own.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Values } from './stored-row.ts'

/**
 * On whose behalf something is written. `credential`: `session:ID`, `key:ID`, `console` or
 * `service`.
 */
export type Author = {
  readonly userId: string | null
  readonly role: string | null
  readonly credential: string
  /** The session of the request, which its own new password leaves. */
  readonly sessionId?: string | undefined
  /**
   * The value of `Accept-Language`, for mails about what is written; it is not stored with the
   * change.
   */
  readonly languages?: string | undefined
  /**
   * Where the request came from, and what its client called itself; absent at the console and for
   * the service.
   */
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /**
   * Nothing of it will be kept, so other writes go first. `counted`: what a removal takes along is
   * counted and left as it is.
   */
  readonly dry?: 'undone' | 'counted'
}

/** How the operator at the console is called. */
export const consoleCredential = 'console'

/** The author of what the service does on its own: sweeps, the first ADMIN, log-ins. */
export const serviceAuthor: Author = { userId: null, role: null, credential: 'service' }

/** `unknown`: something wrote past Bindery, so any record of the resource may have changed. */
const changeKinds = ['insert', 'update', 'delete', 'unknown'] as const
export type ChangeKind = (typeof changeKinds)[number]

/**
 * The watched fields of one record before and after its change; a side is absent where there was no
 * record.
 */
export type ChangeDetail = {
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** All stored fields of one record before and after its change; null where there was no record. */
export type RowImage = { readonly before: Values | null; readonly after: Values | null }

/**
 * A record that was written, with its version after the write; for a deleted record, its last
 * version.
 */
export type WrittenRecord = { readonly id: Scalar; readonly version: number }

export type Change = {
  /** Increases with each change. */
  readonly sequence: number
  /** The resource's name. */
  readonly resource: string
  readonly kind: ChangeKind
  /** A bulk write leaves one change that names all of its records. */
  readonly records: readonly WrittenRecord[]
  /**
   * The values of watched fields. Absent where no reader watches any, or where the records were not
   * read one by one.
   */
  readonly detail?: ChangeDetail
  /**
   * An image of each record, for readers in memory: only in this process's own changes, and never
   * stored. Without images any record of the resource may have changed in any way.
   */
  readonly images?: readonly RowImage[]
  /**
   * Where there are no images: the fields in which records may differ now, and in no other. In
   * memory too.
   */
  readonly fields?: readonly string[]
  /**
   * The id of its transaction, in databases where changes become visible in another order than that
   * of their sequences.
   */
  readonly transaction?: bigint
  readonly userId: string | null
  readonly credential: string
  readonly atMs: number
}

export type ChangeReader = {
  /**
   * Committed changes, each once. This process's own changes arrive before the writer is answered,
   * so they may arrive before older ones of other processes: versions and deletes tell which is
   * newer.
   */
  apply(changes: readonly Change[]): void
  /** Some changes were missed: rebuild whatever was derived from them. */
  reset(): void
}

export type Changes = {
  /** Calls the reader with every change from now on. */
  follow(reader: ChangeReader): void
  /**
   * Asks for the values of these fields in the changes of a resource. Call it while the service is
   * put together, with the same fields in every process: changes written before the call lack them.
   */
  watch(resource: Resource, fields: readonly string[]): void
  /**
   * Whether the readers know what was committed up to a moment ago, by other processes too. It
   * never waits; while it is false, nothing that readers remember may be trusted.
   */
  isCurrent(): boolean
  /**
   * Afterwards the readers know everything that was committed before the call, by any process.
   * Throws `unavailable`.
   */
  catchUp(): void | Promise<void>
  /**
   * Reads the stored log after a place, in an order in which nothing is ever inserted before what
   * was already read: for readers that keep their place. At most `limit` changes; a place of null
   * is the beginning.
   */
  read(
    place: string | null,
    limit: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly place: string | null }>
  /** Removes rows from before that time, some of them. Returns whether there may be more. */
  sweep(beforeMs: number): Promise<boolean>
}

/** How long changes are kept: a reader in memory that was away for longer starts over. */
export const changesKeptMs = 60_000

export type ChangeFeed = {
  readonly watched: ReadonlyMap<Resource, readonly string[]>
  follow(reader: ChangeReader): void
  watch(resource: Resource, fields: readonly string[]): void
  deliver(changes: readonly Change[]): void
  reset(): void
}

/** Hands changes to the readers of one process. */
export function makeChangeFeed(): ChangeFeed {
  const readers: ChangeReader[] = []
  const watched = new Map<Resource, readonly string[]>()
  return {
    watched,
    follow: (reader) => void readers.push(reader),
    watch(resource, fields) {
      watched.set(resource, [...new Set([...(watched.get(resource) ?? []), ...fields])])
    },
    deliver(changes) {
      if (changes.length > 0) for (const reader of readers) reader.apply(changes)
    },
    reset() {
      for (const reader of readers) reader.reset()
    },
  }
}

const sweepEveryMs = 30_000

/**
 * Runs the sweeps every 30 seconds, and each again at once while it reports that more is left. They
 * fail quietly: the next run tries again.
 */
export function startSweeping(...sweeps: readonly (() => Promise<boolean>)[]): { stop(): void } {
  let stopped = false
  const timer = setInterval(() => void run(), sweepEveryMs)
  timer.unref()
  async function run(): Promise<void> {
    try {
      for (const sweep of sweeps) while (!stopped && (await sweep()));
    } catch {
      // callers that need the database report that it is gone or busy
    }
  }
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
