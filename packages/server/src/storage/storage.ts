/**
 * The interface between the engine and its databases, in the engine's terms: resources, conditions
 * and rows, no SQL. Methods return promises, because PostgreSQL implements the same
 * interface; the embedded store settles at once. Rows have stored values by field name, and their
 * version.
 */
import { ApiError } from '../errors.ts'
import type { GroupKey } from '../operation/measures.ts'
import type { CursorPosition } from '../operation/operation.ts'
import type { Resource, SortKey } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import { ownTenantField } from '../resource/tenancy/scope-resource.ts'
import type { Author, Changes } from './changes.ts'
import type { ConditionWatches } from './derived/condition-watch.ts'
import type { ScheduleWriter, StoredSchedules } from './schedules/stored-schedules.ts'
import type { EffectWriter, StoredEffects } from './stored-effects.ts'
import type { JobWriter, StoredJobs } from './stored-jobs.ts'
import type { Row, Values } from './stored-row.ts'

export type { StoredSchedule, StoredSchedules } from './schedules/stored-schedules.ts'
export type { Row, Values } from './stored-row.ts'

export type FoundRow = {
  readonly row: Row
  /** Whether the row also satisfies the `test` condition; true without one. */
  readonly passes: boolean
}

export type ListRequest = {
  readonly where: Condition
  readonly sort: readonly SortKey[]
  readonly limit: number
  readonly offset?: number
  /** Only rows after this one, in the order of `sort`. */
  readonly after?: CursorPosition | null
}

/** One list of the same resource for each value of a field, all in the same order. */
export type EachRequest = Pick<ListRequest, 'where' | 'sort'> & {
  readonly by: string
  /** The values, each once. */
  readonly ids: readonly Scalar[]
  /** The limit of each list. */
  readonly limit: number
  /** The limit of all lists together: the last list may be cut, and those behind it are missing. */
  readonly most: number
}

/** Conditions to decide for records that were read. */
export type TestRequest = { readonly ids: readonly Scalar[]; readonly tests: readonly Condition[] }
export type TestedRow = {
  readonly id: Scalar
  /** Of the record that was tested, which may be newer than the one that was read. */
  readonly version: number
  /** In the order of the tests. */
  readonly passes: readonly boolean[]
}

export type Reader = {
  /** The one row that matches (by a unique key); undefined when there is none. */
  find(resource: Resource, where: Condition, test?: Condition): Promise<FoundRow | undefined>
  list(resource: Resource, request: ListRequest): Promise<Row[]>
  /** The first rows of each list, one list after another. */
  listEach(resource: Resource, request: EachRequest): Promise<Row[]>
  /** Which conditions the records with these ids satisfy. Ids without a record are left out. */
  testEach(resource: Resource, request: TestRequest): Promise<readonly TestedRow[]>
  /** The exact number of records. */
  count(resource: Resource, where: Condition): number | Promise<number>
}

export type SummaryRequest = {
  readonly where: Condition
  readonly groups: readonly Pick<GroupKey, 'field' | 'unit' | 'far'>[]
  /** Fields with whole numbers. */
  readonly sums: readonly string[]
  /** Fields whose least and greatest value are requested. */
  readonly ends: readonly string[]
  readonly limit: number
  /**
   * The offsets of local time, in which moments are grouped; absent in UTC. Each holds from its
   * moment on, and the first also before.
   */
  readonly offsets?: readonly { readonly from: string; readonly seconds: number }[] | undefined
}
export type SummaryRow = {
  /**
   * The stored value of each group, or the part of a time: `2026-01-31`, `2026-W05`, `2026-Q1`.
   */
  readonly group: readonly unknown[]
  readonly count: number
  /** By field; `values`: how many are not null. */
  readonly sums: ReadonlyMap<string, { readonly sum: bigint; readonly values: number }>
  readonly ends: ReadonlyMap<string, { readonly least: unknown; readonly most: unknown }>
}

export type PageRequest = Omit<ListRequest, 'after'> & { readonly offset: number }
export type RowPage = { readonly rows: readonly Row[]; readonly total: number }

/** A done request with an idempotency key, and its response. */
export type DoneRequest = {
  /** A digest of the key, its owner and its purpose. */
  readonly key: string
  /** The owner, as a digest: the user, or the address of a caller without credentials. */
  readonly owner: string
  /** A digest of the request. */
  readonly print: string
  readonly answer: string
  readonly atMs: number
}

/** The numbers that the engine counts in one field: of the table, of a tenant, of a year. */
export type NumberSeries = {
  readonly resource: Resource
  readonly field: string
  /** The numbers follow this one. */
  readonly base: number
  /** Null where all tenants share the series. */
  readonly tenant: Scalar | null
}

/**
 * How long, and up to which size, done requests are stored. Above the size, the oldest ones of the
 * largest caller go first.
 */
export type RequestLimits = { readonly ms: number; readonly bytesMax: number; readonly ownerBytesMax: number }
export const requestsKept: RequestLimits = {
  ms: 24 * 60 * 60 * 1000,
  bytesMax: 268_435_456,
  ownerBytesMax: 33_554_432,
}

/** By field. The amount has the form of the stored value. */
export type Adjustment = { readonly add: Readonly<Record<string, number | bigint>>; readonly set: Values }

/**
 * The writes of one transaction, each with its row in the change log. Only `record/` calls them: it
 * runs the triggers, cascades and effects of a write.
 */
export type Transaction = Reader &
  Pick<Storage, 'summarize'> &
  EffectWriter &
  JobWriter &
  ScheduleWriter & {
    /**
     * Like `find`, but no other transaction can change the row until this one ends; with
     * `toDelete`, none can add a reference to it either. With `shared`, others may lock it so, too.
     * With `toName`, others can change the row, and not delete it.
     * Use it for reads that a write depends on: a row from `find` or `list` may differ at the next
     * read.
     */
    lock(
      resource: Resource,
      where: Condition,
      options?: { test?: Condition | undefined; toDelete?: boolean; shared?: boolean; toName?: boolean },
    ): Promise<FoundRow | undefined>
    /** Like `list`, with every row locked. */
    lockAll(resource: Resource, request: ListRequest, options?: { toDelete?: boolean }): Promise<Row[]>
    /**
     * Returns the row as stored, with version 1 where the values have none. Throws `conflict` when
     * a unique key is taken.
     */
    insert(resource: Resource, values: Values): Promise<Row>
    /**
     * Inserts many rows, for callers that do not need them back. Throws `conflict` when any unique
     * key is taken.
     */
    insertAll(resource: Resource, records: readonly Values[]): Promise<void>
    /** Returns the row with these changes, its version one higher. Throws `conflict`. */
    update(resource: Resource, row: Row, changes: Values): Promise<Row>
    /**
     * Makes the same changes to the rows with these ids and raises their versions. Not for fields
     * that are searched in. Returns the number of rows.
     */
    updateAll(resource: Resource, ids: readonly Scalar[], changes: Values): Promise<number>
    /**
     * Adds to numbers of locked rows, and sets values, the same in each. Their versions stay. Only
     * for counted fields and places, which no text index and no unique key has.
     */
    adjust(resource: Resource, rows: readonly Row[], changes: Adjustment): Promise<void>
    /**
     * Deletes these rows. Nothing may refer to them any more: foreign keys would cascade, unseen by
     * the change log.
     */
    deleteAll(resource: Resource, rows: readonly Row[]): Promise<void>
    /**
     * Takes as many numbers of a series as `by` says, and returns the last. No other transaction
     * takes any of the series until this one ends; when it is rolled back, they are free again.
     */
    takeNumbers(series: NumberSeries, by: number): Promise<number>
    /**
     * No other transaction locks the same name until this one ends. With `shared`, others may lock
     * it so, too. Reads after it see what earlier holders committed.
     */
    lockName(name: string, shared?: boolean): Promise<void>
    /** Like `countUp` of the storage; a rollback takes the count back. */
    countUp(key: string, windowMs: number, nowMs: number): Promise<StoredCounter>
    /**
     * Erases the copies of the records that this transaction has removed, and of those that it has
     * emptied, in the tables of the service. Answers and mails with one of the words go too.
     * Returns how much there was.
     */
    eraseCopies(words: readonly string[], emptied: readonly ChangedRecord[]): Promise<ErasedCopies>
    /** Whether others wait for the end of this transaction, or may do so unnoticed. */
    isAwaited(): boolean
    /**
     * Claims the key of a request until this transaction ends. `done`: a transaction has stored it
     * since that time; `running`: another one has claimed it.
     */
    claimRequest(key: string, sinceMs: number): Promise<'free' | 'done' | 'running'>
    /**
     * Stores a request as done, if this transaction commits. Returns false when another transaction
     * has stored its key since that time.
     */
    keepRequest(request: DoneRequest, sinceMs: number): Promise<boolean>
  }

/** `of`: for a record of a trash, the resource whose copies it had. */
export type ChangedRecord = { readonly resource: string; readonly of: string; readonly id: string | number }

/** How much an erasure found. `records`: by the names of their resources. */
export type ErasedCopies = {
  readonly records: Readonly<Record<string, number>>
  /** Rows of the change log that had values. */
  readonly log: number
  /** Answers that were kept for a retry. */
  readonly answers: number
  /** Effects, mails and jobs among them. */
  readonly effects: number
}

/** The client of a read. */
export type ReadClient = {
  /** The key, user or address: waiting reads take turns between these. */
  readonly client: string
  /** The client's IP address, or empty when it is not known. */
  readonly address: string
  /** The value of `Accept-Language`. */
  readonly languages?: string | undefined
  /** The value of `User-Agent`. */
  readonly userAgent?: string | undefined
  readonly requestId?: string | undefined
  /** Whether the client has disconnected, so that no response is needed. */
  left(): boolean
  /**
   * Calls back when the client disconnects, at once if it has. Returns a function that cancels
   * this.
   */
  onLeft(call: () => void): () => void
  /** Counts the rows that are read for it. */
  readonly note?: { rows: number } | undefined
}

/**
 * The rows of a list from its beginning to its end. No database cursor stays open between two
 * calls.
 */
export type RowCursor = {
  /**
   * The next rows, none after the last. When it throws, the next call tries the same rows again.
   */
  next(): Promise<readonly Row[]>
  /** Releases the memory of the cursor. */
  close(): void
}
export type RowCursorRequest = Pick<ListRequest, 'where' | 'sort' | 'limit'>

/** How a read of many records runs, in words for people. */
export type ReadPlan = {
  readonly way: string
  /** The index that it walks. */
  readonly index?: string | undefined
  /** The most entries or rows that it reads; absent where that is not known. */
  readonly entriesMax?: number | undefined
  /** Whether it may take long, and runs outside the main thread. */
  readonly isOutside: boolean
  readonly sql: string
  /** The database's own description of its steps. */
  readonly steps: readonly string[]
}

export type StoredCounter = { readonly count: number; readonly resetAtMs: number }

export type Storage = Reader & {
  /** A page of a list, and the total. An offset beyond the end reads no rows. */
  page(resource: Resource, request: PageRequest): Promise<RowPage>
  /** The total if no read is needed for it, as of all changes seen so far. */
  knownTotal(resource: Resource, where: Condition): number | undefined
  /** Groups, in no order. Without any, one row about all matching records. */
  summarize(resource: Resource, request: SummaryRequest): Promise<SummaryRow[]>
  /** All rows of a list, `limit` at a time. */
  walk(resource: Resource, request: RowCursorRequest): RowCursor
  /**
   * The same reads on behalf of a caller. Those that may take long wait in a fair queue. They end
   * when the caller disconnects or after a time limit: `unavailable`, or `bad-request` with advice.
   */
  by(readClient: ReadClient): ReadStorage
  /**
   * The same reads on separate connections, so that callers are identified even while all other
   * requests wait.
   */
  readonly urgent: Reader
  /**
   * Runs the work in one transaction. An error rolls back all of it. No other transaction changes
   * the rows that it has locked. After a collision the work may run again from its beginning. So it
   * must change nothing outside, and must use only its argument.
   */
  transaction<T>(author: Author, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** How a list would be read; without a sort, how its records would be counted. */
  explain(resource: Resource, request: Pick<ListRequest, 'where'> & Partial<ListRequest>): Promise<ReadPlan>
  readonly changes: Changes
  /** The queue of effects that transactions left. */
  readonly effects: StoredEffects
  /** The jobs that transactions added. */
  readonly jobs: StoredJobs
  /** The moments of schedules that are decided. */
  readonly schedules: StoredSchedules
  /** The changes to the records that match a condition, for caches. */
  readonly watches: ConditionWatches
  /**
   * Increments a named counter that restarts after the window. All processes on this database share
   * it.
   */
  countUp(key: string, windowMs: number, nowMs: number): Promise<StoredCounter>
  readCounter(key: string, nowMs: number): Promise<StoredCounter>
  clearCounter(key: string): Promise<void>
  /** The request that was done under this key since that time. */
  findRequest(key: string, sinceMs: number): Promise<Omit<DoneRequest, 'owner'> | undefined>
  /**
   * Whether the database can be read and written, or only read. Throws when it cannot be used now.
   */
  check(): Promise<StorageReadiness>
  close(): Promise<void>
}

export type StorageReadiness = 'ok' | 'read-only'

/** The reads of many records, which are bounded for each client. */
export type ClientReads = Pick<Storage, 'list' | 'listEach' | 'count' | 'page' | 'walk' | 'summarize'>

/** The storage without record writes: all that code outside `record/` may use. */
export type ReadStorage = Omit<Storage, 'transaction'>

/**
 * A conflict that the transaction itself can settle when it runs again, as after a serialization
 * failure (SQLSTATE 40001).
 */
export function crossedWith(conflict: ApiError): ApiError {
  const cause = Object.assign(new Error('another write was first', { cause: conflict }), { code: '40001' })
  return new ApiError('conflict', conflict.message, { cause, mistakes: conflict.mistakes ?? [] })
}

/** The error for a taken unique key, in the declaration's words. */
export function conflictOver(resource: Resource, key: readonly string[], cause?: unknown): ApiError {
  const own = ownTenantField(resource)
  const names = key.length > 1 ? key.filter((name) => name !== own) : key
  const detail = resource.messages.conflict ?? `${names.join(' and ')} must be unique`
  const [field = ''] = names
  return new ApiError('conflict', detail, { cause, mistakes: names.length === 1 ? [{ field, detail }] : [] })
}
