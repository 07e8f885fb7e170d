/**
 * What the engine asks of a database. Everything is a promise, though the embedded store answers at once: PostgreSQL stands
 * behind the same door. Rows carry stored values by field name, and their version.
 */
import { ApiError } from '../errors.ts'
import type { Cursor } from '../operation/operation.ts'
import type { Resource, SortKey } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Author, Changes } from './changes.ts'

/** Stored values by field name: money in minor units, timestamps as RFC 3339 text, lists as arrays. */
export type Row = { readonly version: number; readonly [field: string]: unknown }
export type Values = Readonly<Record<string, unknown>>

export type Found = {
  readonly row: Row
  /** Whether the row also satisfies the `test` condition. True when there was none. */
  readonly passes: boolean
}

export type ListRequest = {
  readonly where: Condition
  readonly sort: readonly SortKey[]
  readonly limit: number
  readonly offset?: number
  /** Only rows after this one, in the order of `sort`. */
  readonly after?: Cursor | null
}

export type Reader = {
  /** The one row that matches (by a unique key); undefined when there is none. */
  find(resource: Resource, where: Condition, test?: Condition): Promise<Found | undefined>
  list(resource: Resource, request: ListRequest): Promise<Row[]>
  /** Exact. */
  count(resource: Resource, where: Condition): Promise<number>
}

export type PageRequest = Omit<ListRequest, 'after'> & { readonly offset: number }
export type Page = { readonly rows: readonly Row[]; readonly total: number }

/**
 * What is written inside one transaction, each write with its row in the change log. Only `record/` calls the writes: it knows what else
 * follows from them.
 */
export type Transaction = Reader & {
  /**
   * Like `find`, and nobody else changes the row until the transaction ends; with `toDelete`, nobody refers to it anew either. What
   * a write depends on is read by this: what `find` and `list` gave may be another one at the next look.
   */
  lock(
    resource: Resource,
    where: Condition,
    options?: { test?: Condition | undefined; toDelete?: boolean },
  ): Promise<Found | undefined>
  /** Like `list`, with each of its rows locked. */
  lockAll(resource: Resource, request: ListRequest, options?: { toDelete?: boolean }): Promise<Row[]>
  /** The row as stored, version 1. Throws `conflict` when a unique key is taken. */
  insert(resource: Resource, values: Values): Promise<Row>
  /** Many at once, when nobody needs the rows that come of it. Throws `conflict` when any of their unique keys is taken. */
  insertAll(resource: Resource, records: readonly Values[]): Promise<void>
  /** The row with these changes, its version one higher. Throws `conflict`. */
  update(resource: Resource, row: Row, changes: Values): Promise<Row>
  /** The same changes to the rows with these ids; the versions go up. Not for fields that are searched in. Returns how many there were. */
  updateAll(resource: Resource, ids: readonly Scalar[], changes: Values): Promise<number>
  /** Removes these rows. Nothing may refer to them any more: what does is deleted or cleared by the database, unseen by the change log. */
  deleteAll(resource: Resource, rows: readonly Row[]): Promise<void>
}

export type Counter = { readonly count: number; readonly resetAtMs: number }

export type Storage = Reader & {
  /** Some rows of a list and how many there are in all. Nothing is read for an offset beyond the end. */
  page(resource: Resource, request: PageRequest): Promise<Page>
  /** The same reads on a way of their own: who is asking can be told also while everybody else waits. */
  readonly urgent: Reader
  /**
   * Runs the work in one transaction. What it throws undoes all of it. Nobody else changes what it has locked. It may be run
   * again from its beginning when others were in its way, so it changes nothing outside. Inside it, only the transaction
   * it is given may be used.
   */
  transaction<T>(author: Author, work: (transaction: Transaction) => Promise<T>): Promise<T>
  readonly changes: Changes
  /** Counts up a named counter that starts again after the window. Shared by all processes on this database. */
  countUp(key: string, windowMs: number, nowMs: number): Promise<Counter>
  readCounter(key: string, nowMs: number): Promise<Counter>
  clearCounter(key: string): Promise<void>
  /** Throws when the database cannot be used now. */
  check(): Promise<void>
  close(): Promise<void>
}

/** What may be asked of a database by whoever does not write. */
export type StoredReads = Omit<Storage, 'transaction'>

/** A unique key is taken, in the declaration's words. */
export function conflictOver(resource: Resource, key: readonly string[], cause?: unknown): ApiError {
  return new ApiError('conflict', resource.messages.conflict ?? `${key.join(' and ')} must be unique`, { cause })
}
