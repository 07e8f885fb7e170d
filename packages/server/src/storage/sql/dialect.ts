/**
 * How the SQL of databases differs. Each database implements it in one file; everything else in
 * `sql/` is shared.
 */
import type { AliasedRawBuilder, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { TimeUnit } from '../../operation/measures.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { ColumnType } from '../../resource/fields/field.ts'
import type { RowQuery } from './select-rows.ts'

/** Kysely without its table types: tables come from declarations. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type SqlBuilder = Kysely<any>
export type SqlCondition = Expression<SqlBool>
export type AliasedTable = AliasedRawBuilder<unknown, string>

/**
 * What other transactions may not do to a locked row: `change` it, or also add a reference to it
 * (`delete`).
 */
export type RowLock = 'change' | 'delete'

/** The most values that we bind in one statement: SQLite takes 32,766, PostgreSQL 65,535. */
export const boundValuesMax = 20_000

/** The lists of many values, of which a database makes one statement. */
export type EachListQuery = {
  readonly resource: Resource
  /** The columns of the result. */
  readonly columns: readonly string[]
  /** Of the values. */
  readonly type: ColumnType
  /** The list of values, bound as one. */
  readonly given: unknown
  /**
   * The rows of one value, which is `given.value`, in their order and up to their limit; what is
   * selected is for the database to say.
   */
  of(query: RowQuery): RowQuery
  /** Of all rows together. */
  readonly most: unknown
}

/** What an index of texts is asked, as SQL with bound values. */
export type TextIndexQuery = {
  /** Names the form of the SQL: with the same kind, the same text. */
  readonly kind: string
  readonly values: readonly unknown[]
  /** The texts that the index does not decide: an exact comparison must follow. */
  readonly undecided: readonly string[]
  /** A condition on the rows of the resource's table. `slots` stand for the values. */
  where(slots: readonly unknown[]): SqlCondition
  /**
   * Where the index itself can be read, in the order of row numbers. Absent in databases whose rows
   * have none.
   */
  readonly walk?: TextIndexScan
}

export type TextIndexScan = {
  /** The table that is the index, and its column with row numbers. */
  readonly table: string
  readonly numbers: string
  /** The same numbers in the resource's table. */
  readonly rowNumber: string
  /** It finds no more rows, as far as is known without asking it: a short while ago that was so. */
  readonly most?: number | undefined
  matches(slots: readonly unknown[]): SqlCondition
}

export type Dialect = {
  /**
   * The condition of rows whose values in these quoted columns are too much for a key of an index,
   * where there is such a limit.
   */
  readonly outgrowsIndex?: (columns: readonly string[]) => string
  /** Compiles queries; it never connects to anything. */
  readonly builder: SqlBuilder
  /** A stored value → what the driver takes. */
  encode(type: ColumnType, value: unknown): unknown
  /** A value from the driver, never null → the stored value. Absent where they are the same. */
  readonly decode: Readonly<Partial<Record<ColumnType, (value: unknown) => unknown>>>
  /** Whether the text of a column contains `part`, which is one bound value. */
  includes(column: string, part: unknown): SqlCondition
  beginsWith(column: string, part: unknown): SqlCondition
  /** Whether a column's value is in a list that is bound as one value. */
  isIn(column: string, list: unknown): SqlCondition
  /** Such a list as one bound value. */
  encodeList(values: readonly unknown[]): unknown
  /** Whether the list in a JSON column has this text. */
  hasItem(column: string, item: unknown): SqlCondition
  /** The day, month or year of a timestamp, in UTC: `2026-01-31`, `2026-01`, `2026`. */
  timePart(column: Expression<unknown>, unit: TimeUnit): RawBuilder<unknown>
  /**
   * Finds rows that have all of the words, or candidates for them, by an index. Undefined when no
   * word can use it.
   */
  findWords(resource: Resource, words: readonly string[]): TextIndexQuery | undefined
  /** The same for the rows whose folded text of the field contains the part. */
  findPart(resource: Resource, field: string, part: string): TextIndexQuery | undefined
  /** The first rows of each of many lists, in one statement, value by value. */
  listEach(parts: EachListQuery): RawBuilder<unknown>
  /** A table read by this index, where the database can be told; otherwise the table. */
  tableBy(table: string, index: string): AliasedTable
  /** At most so many rows, which is one bound value. */
  limit(most: unknown): RawBuilder<number>
  /**
   * The end of a query that locks what it reads; absent where a transaction locks the whole
   * database.
   */
  readonly lockClause: Readonly<Partial<Record<RowLock, RawBuilder<unknown>>>>
  /** Whether a sorted UNION ALL reads its branches side by side, and stops at the limit. */
  readonly mergesUnions: boolean
  /**
   * Whether one row is inserted with `OR FAIL`: a violated key is found before anything is written,
   * so nothing must be kept to undo it.
   */
  readonly insertsOneOrFails?: true
  /**
   * What an insert returns of each row besides its id and its version, where the database has
   * something to do with it.
   */
  alsoReturned?(resource: Resource): readonly string[]
  /** Whether the database sorts nulls as the smallest values. */
  readonly nullsAreSmallest: boolean
}
