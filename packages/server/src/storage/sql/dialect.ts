/** How the SQL of databases differs. Each database implements it in one file; everything else in `sql/` is shared. */
import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { ColumnType } from '../../resource/fields/field.ts'

/** Kysely without its table types: tables come from declarations. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type Builder = Kysely<any>
export type Where = Expression<SqlBool>

/** What other transactions may not do to a locked row: `change` it, or also add a reference to it (`delete`). */
export type Lock = 'change' | 'delete'

/** The most values that we bind in one statement: SQLite takes 32,766, PostgreSQL 65,535. */
export const boundValuesMax = 20_000

export type Dialect = {
  /** Compiles queries; it never connects to anything. */
  readonly builder: Builder
  /** A stored value → what the driver takes. */
  encode(type: ColumnType, value: unknown): unknown
  /** A value from the driver, never null → the stored value. Absent where they are the same. */
  readonly decode: Readonly<Partial<Record<ColumnType, (value: unknown) => unknown>>>
  /** Whether the text of a column contains `part`, which is one bound value. */
  includes(column: string, part: unknown): Where
  beginsWith(column: string, part: unknown): Where
  /** Whether a column's value is in a list that is bound as one value. */
  isIn(column: string, list: unknown): Where
  /** Such a list as one bound value. */
  encodeList(values: readonly unknown[]): unknown
  /** Whether the list in a JSON column has this text. */
  hasItem(column: string, item: unknown): Where
  /** Narrows by an index to rows that may have all of the words; an exact comparison follows. Undefined when no word can use the index. */
  candidates(
    resource: Resource,
    words: readonly string[],
  ): { readonly kind: string; readonly value: unknown; where(value: unknown): Where } | undefined
  /** The end of a query that locks what it reads; absent where a transaction locks the whole database. */
  readonly lockClause: Readonly<Partial<Record<Lock, RawBuilder<unknown>>>>
  /** Whether one row is inserted with `OR FAIL`: a violated key is found before anything is written, so nothing must be kept to undo it. */
  readonly insertsOneOrFails?: true
  /** Whether the database sorts nulls as the smallest values. */
  readonly nullsAreSmallest: boolean
}
