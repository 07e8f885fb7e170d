/**
 * The change log: each write adds one row to it, in its own transaction. Caches, totals, sessions
 * and other processes read the log to learn what changed. A reader receives each change once and is
 * told when it missed some. Each database stores the rows in its own way.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Principal, RequestTenant } from '../resource/principal.ts'
import type { KeptLog, LogPlace } from './derived/kept-log.ts'
import type { Values } from './stored-row.ts'

/**
 * The caller of a write. `credential`: `session:ID`, `key:ID`, `anonymous`, `console` or
 * `service`.
 */
export type Author = {
  readonly userId: string | null
  readonly role: string | null
  readonly credential: string
  /** The session of the request: a caller that changes its own password keeps this session. */
  readonly sessionId?: string | undefined
  /** The value of `Accept-Language`, for mails about the write; the change does not store it. */
  readonly languages?: string | undefined
  /** The client's address and user agent; absent for the console and the service. */
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /** The tenant that the request named, and its id, for effects of the write. */
  readonly tenant?: RequestTenant | undefined
  readonly requestId?: string | undefined
  /** The caller of the request, with the rights that it has there; no log stores it. */
  readonly caller?: Principal | undefined
  /** The effect whose code writes: the change log names it in place of the credential. */
  readonly cause?: WriteCause | undefined
  /** The write leaves no effects of declarations. */
  readonly isQuiet?: boolean
  /**
   * The write is rolled back, so other writes go first. `counted`: the records that a delete
   * cascades to are only counted.
   */
  readonly dry?: 'undone' | 'counted'
}

/** An effect, by its id. `depth`: how many effects caused each other up to it, itself included. */
export type WriteCause = { readonly id: string; readonly depth: number }

/** The credential of a write as the change log, versions and the audit store it. */
export function storedCredential({ credential, cause }: Pick<Author, 'credential' | 'cause'>): string {
  return cause ? `effect:${cause.id}` : credential
}

/** The credential of the operator at the console. */
export const consoleCredential = 'console'

/** The author of the service's own writes: sweeps, the first ADMIN, log-ins. */
export const serviceAuthor: Author = { userId: null, role: null, credential: 'service' }

/** `unknown`: another program wrote to the table, so any of its records may have changed. */
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
   * The values of watched fields. Absent where no reader watches a field, or where a bulk write did
   * not read the records one by one.
   */
  readonly detail?: ChangeDetail
  /** An erasure has taken the values of the change. */
  readonly isErased?: true
  /**
   * The declared fields (`changes`) of each record before and after, in the order of `records`.
   * Absent where nothing is declared, or where another program wrote the row.
   */
  readonly values?: readonly ChangeDetail[]
  /**
   * An image of each record, for readers in memory. Only this process's own changes have images,
   * and the log does not store them. Without images any record of the resource may have changed.
   */
  readonly images?: readonly RowImage[]
  /** For changes without images: the only fields in which records may differ now. In memory too. */
  readonly fields?: readonly string[]
  /**
   * The id of its transaction. PostgreSQL's changes have it: they become visible in another order
   * than that of their sequences. So have all changes of the kept log.
   */
  readonly transaction?: bigint
  /** The end of its transaction in the kept log; absent where that log does not have the change. */
  readonly place?: LogPlace
  /** The request that wrote it, where the kept log has the change. */
  readonly requestId?: string
  readonly userId: string | null
  readonly credential: string
  readonly atMs: number
}

export type ChangeReader = {
  /**
   * Receives committed changes, each once. This process's own changes arrive before the writer gets
   * its response. They may precede older changes of other processes; versions and deletes tell
   * which is newer.
   */
  apply(changes: readonly Change[]): void
  /** The reader missed some changes: it must drop everything that it derived from them. */
  reset(): void
}

export type Changes = {
  /** Calls the reader with every change from now on. */
  follow(reader: ChangeReader): void
  /**
   * Adds the values of these fields to the changes of a resource. Call it while the service starts,
   * with the same fields in every process: earlier changes lack the values.
   */
  watch(resource: Resource, fields: readonly string[]): void
  /**
   * Whether the readers have every commit up to a moment ago, other processes' included. The call
   * never waits. While it returns false, callers must not use what readers hold in memory.
   */
  isCurrent(): boolean
  /**
   * How long another process may act on what it read before a commit. It is 0 where each one sees a
   * commit at once.
   */
  readonly trustedMs: number
  /**
   * Resolves when the readers have every change that any process committed before the call. Throws
   * `unavailable`.
   */
  catchUp(): void | Promise<void>
  /**
   * Reads at most `limit` changes of the stored log after a position; null is the beginning. No
   * change is ever inserted before a position that was read, so a reader can store its position.
   */
  read(
    place: string | null,
    limit: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly place: string | null }>
  /** The changes that stay for readers who come back; undefined where no resource has `changes`. */
  readonly kept: KeptLog | undefined
  /** Removes some of the rows that are due at that time. Returns whether there may be more. */
  sweep(nowMs?: number): Promise<boolean>
}

export const changesTable = 'bindery_changes'

/** The service's own tables, besides its settings table. An earlier version had fewer of them. */
export const ownTables = [
  'bindery_counters',
  'bindery_numbers',
  changesTable,
  'bindery_requests',
  'bindery_effects',
  'bindery_jobs',
  'bindery_schedules',
] as const

/** How long the log keeps changes. A reader in memory that was away for longer starts over. */
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
 * Runs the sweeps every 30 seconds, and repeats one at once while it reports that more is left. A
 * failed sweep is tried again in the next run.
 */
export function startSweeping(...sweeps: readonly (() => Promise<boolean>)[]): { stop(): void } {
  let stopped = false
  const timer = setInterval(() => void run(), sweepEveryMs)
  timer.unref()
  async function run(): Promise<void> {
    try {
      for (const sweep of sweeps) while (!stopped && (await sweep()));
    } catch {
      // requests that need the database report that it is gone or busy
    }
  }
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
