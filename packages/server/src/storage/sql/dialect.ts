/** In what databases differ. One file a dialect implements it; everything else in `storage/` is shared. */
import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { ColumnType } from '../../resource/fields/field.ts'

/** The builder without its table types: tables come from declarations. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type Builder = Kysely<any>
export type Where = Expression<SqlBool>

/** What others may not do to a row that was read: change it, or also refer to it anew. */
export type Lock = 'change' | 'delete'

/** Bound values of one statement, as far as we go: SQLite takes 32,766, PostgreSQL 65,535. */
export const boundValuesMax = 20_000

export type Dialect = {
  /** Compiles; it is never connected to anything. */
  readonly builder: Builder
  /** A stored value → what the driver takes. */
  encode(type: ColumnType, value: unknown): unknown
  /** What the driver gives, never null → the stored value. Absent where it is the same. */
  readonly decode: Readonly<Partial<Record<ColumnType, (value: unknown) => unknown>>>
  /** Whether the text of a column has this part; `part` is one bound value. */
  includes(column: string, part: unknown): Where
  beginsWith(column: string, part: unknown): Where
  /** Whether a column's value is in a list that is bound as one value. */
  isIn(column: string, list: unknown): Where
  /** How such a list is bound. */
  encodeList(values: readonly unknown[]): unknown
  /** Whether a JSON column's list has this text. */
  hasItem(column: string, item: unknown): Where
  /** Narrows by an index to rows that may have all of the words; the exact comparison comes besides. Absent: no word can use it. */
  candidates(
    resource: Resource,
    words: readonly string[],
  ): { readonly kind: string; readonly value: unknown; where(value: unknown): Where } | undefined
  /** The end of a query that locks what it reads; absent where a transaction has locked everything. */
  readonly lockClause: Readonly<Partial<Record<Lock, RawBuilder<unknown>>>>
  /** Sorting with nulls as the smallest values. */
  readonly nullsAreSmallest: boolean
}
