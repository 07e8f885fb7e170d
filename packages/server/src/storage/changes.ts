/**
 * The change log: one row a write, in the write's own transaction. Everything that is derived from records reads it: what identity
 * remembers, kept totals and pages, what other processes wrote. A reader is given each change once, and is told when it missed some.
 */

import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'

/** On whose behalf something is written. `credential`: `session:ID`, `key:ID`, `console` or `service`. */
export type Author = { readonly userId: string | null; readonly role: string | null; readonly credential: string }

/** What the service does of its own accord: sweeps, the first ADMIN, a log-in. */
export const serviceAuthor: Author = { userId: null, role: null, credential: 'service' }

/** `unknown`: something wrote past Bindery, so anything of the resource may have changed. */
export const changeKinds = ['insert', 'update', 'delete', 'unknown'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** The watched fields of one record: before its change and after it; absent on the side where there was no record. */
export type ChangeDetail = {
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** A record that was written, and its version after that; of one that was deleted, its last. */
export type WrittenRecord = { readonly id: Scalar; readonly version: number }

export type Change = {
  /** Rises from one change to the next. */
  readonly sequence: number
  /** Its name. */
  readonly resource: string
  readonly kind: ChangeKind
  /** A write of many leaves one row that names them all. */
  readonly records: readonly WrittenRecord[]
  /** Of the fields that a reader watches. Absent where none does, or where nobody looked at the records one by one. */
  readonly detail?: ChangeDetail
  readonly userId: string | null
  readonly credential: string
  readonly atMs: number
}

export type ChangeReader = {
  /**
   * Committed changes, each once. Own ones come before the writer is answered, so they may come before older ones of other processes:
   * versions and deletes tell what is newer.
   */
  apply(changes: readonly Change[]): void
  /** Some were missed: whatever was derived is to be made anew. */
  reset(): void
}

export type Changes = {
  /** Calls the reader with everything from now on. */
  follow(reader: ChangeReader): void
  /**
   * Asks for the values of these fields in the changes of a resource. Called while the service is put together, alike in every process: what
   * is asked for later is missing from the changes before.
   */
  watch(resource: Resource, fields: readonly string[]): void
  /**
   * Whether the readers know what was committed up to a moment ago: at most `changesSeenMsMax` in other processes. It never waits; when it
   * is false, nothing that readers remember may be trusted.
   */
  isCurrent(): boolean
  /** After it, the readers know everything that was committed before the call, by whatever process. Throws `unavailable`. */
  catchUp(): void | Promise<void>
  /**
   * The log as it is stored, from behind a place on, in an order in which nothing is inserted before what was read: for readers that keep
   * their place. At most `limit`; null is the beginning.
   */
  read(
    place: string | null,
    limit: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly place: string | null }>
  /** Removes rows from before that time, some of them. Returns whether there may be more. */
  sweep(beforeMs: number): Promise<boolean>
}

/** Changes are kept for so long: a reader in memory that was away for longer begins anew. */
export const changesKeptMs = 60_000

export type Feed = {
  readonly watched: ReadonlyMap<Resource, readonly string[]>
  follow(reader: ChangeReader): void
  watch(resource: Resource, fields: readonly string[]): void
  deliver(changes: readonly Change[]): void
  reset(): void
}

/** The readers of one process. */
export function makeFeed(): Feed {
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

/** Runs the sweep now and then, again at once while it says that there is more. It fails quietly: the next one tries again. */
export function startSweeping(sweep: () => Promise<boolean>): { stop(): void } {
  let stopped = false
  const timer = setInterval(() => void run(), sweepEveryMs)
  timer.unref()
  async function run(): Promise<void> {
    try {
      while (!stopped && (await sweep()));
    } catch {
      // a database that is gone or busy is told of by those who need it
    }
  }
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
