/**
 * The differences between the databases' SQL. Each database implements this interface in one file;
 * all other code in `sql/` is shared.
 */
import type { AliasedRawBuilder, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { ColumnType } from '../../resource/fields/field.ts'
import type { RowQuery } from './select-rows.ts'
import type { TimePart } from './time-part.ts'

/** Kysely without its table types: tables come from declarations. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type SqlBuilder = Kysely<any>
export type SqlCondition = Expression<SqlBool>
export type AliasedTable = AliasedRawBuilder<unknown, string>

/**
 * The changes that other transactions may not make to a locked row: `change` it, or also add a
 * reference to it (`delete`). `share` is `change` that several transactions may hold at once. Under
 * `name`, others may change the row, and none deletes it.
 */
export type RowLock = 'name' | 'share' | 'change' | 'delete'

/** The most values bound in one statement: SQLite takes 32,766, PostgreSQL 65,535. */
export const boundValuesMax = 20_000

/** Lists for many values, which one statement reads. */
export type EachListQuery = {
  readonly resource: Resource
  /** The type of the values. */
  readonly type: ColumnType
  /** The list of values, bound as one. */
  readonly given: unknown
  /**
   * The rows of one value, which is `given.value`, in their order and up to their limit; the
   * database chooses the selected columns.
   */
  of(query: RowQuery): RowQuery
  /** The limit of all rows together. */
  readonly most: unknown
}

/** A query of a text index, as SQL with bound values. */
export type TextIndexQuery = {
  /** Names the form of the SQL: with the same kind, the same text. */
  readonly kind: string
  readonly values: readonly unknown[]
  /** The texts that the index does not decide: an exact comparison must follow. */
  readonly undecided: readonly string[]
  /** A condition on the rows of the resource's table. `slots` stand for the values. */
  where(slots: readonly unknown[]): SqlCondition
  /** For databases with row numbers: reads the index itself in the order of row numbers. */
  readonly walk?: TextIndexScan
}

export type TextIndexScan = {
  /** The index's table, and its column with row numbers. */
  readonly table: string
  readonly numbers: string
  /** The same numbers in the resource's table. */
  readonly rowNumber: string
  /** An upper limit of the rows that it finds, known without a query as of a short while ago. */
  readonly most?: number | undefined
  matches(slots: readonly unknown[]): SqlCondition
}

export type Dialect = {
  /**
   * The condition of rows whose values in these quoted columns exceed the size of an index key, in
   * databases with such a limit.
   */
  readonly outgrowsIndex?: (columns: readonly string[]) => string
  /** Compiles queries; it never connects to anything. */
  readonly builder: SqlBuilder
  /** A stored value → the driver's form. */
  encode(type: ColumnType, value: unknown): unknown
  /** A value from the driver, never null → the stored value. Absent where they are the same. */
  readonly decode: Readonly<Partial<Record<ColumnType, (value: unknown) => unknown>>>
  /** Whether the text of a column contains `part`, which is one bound value. */
  includes(column: string, part: unknown): SqlCondition
  beginsWith(column: string, part: unknown): SqlCondition
  /** Whether a column's value is in a list, which is bound as one value. */
  isIn(column: string, list: unknown): SqlCondition
  /** Such a list as one bound value. */
  encodeList(values: readonly unknown[]): unknown
  /** Whether the list in a JSON column has this item, or any. */
  hasItem(column: string, item: unknown): SqlCondition
  /** The same for a list of fractions, which a database may read as their neighbours. */
  hasFraction(column: string, item: unknown): SqlCondition
  hasItems(column: string): SqlCondition
  /** An item of a list, as `hasItem` takes it. */
  encodeItem(item: Scalar): unknown
  /** A path through the objects of a JSON value, as bound values. */
  encodePath(path: readonly string[]): readonly unknown[]
  /** The JSON text of the member; null where there is none. */
  member(column: Expression<unknown>, path: readonly unknown[]): RawBuilder<unknown>
  /** The member itself, where it is a text; null otherwise. Texts compare by code point. */
  memberText(column: Expression<unknown>, path: readonly unknown[]): RawBuilder<unknown>
  memberNumber(column: Expression<unknown>, path: readonly unknown[]): RawBuilder<unknown>
  /** A part of a time: `2026-01-31`, `2026-Q1`; a week by its number (`weekOf`). */
  timePart(column: Expression<unknown>, part: TimePart): RawBuilder<unknown>
  /**
   * Finds rows that have all of the words, or candidates for them, by an index. Undefined when no
   * word can use it. `tenants`: only rows of these tenants.
   */
  findWords(
    resource: Resource,
    words: readonly string[],
    tenants: readonly Scalar[] | undefined,
  ): TextIndexQuery | undefined
  /** The same for the rows whose folded text of the field contains the part. */
  findPart(resource: Resource, field: string, part: string): TextIndexQuery | undefined
  /** The first rows of each of many lists, in one statement, value by value. */
  listEach(parts: EachListQuery): RawBuilder<unknown>
  /** The table with a hint to use this index, if the database takes hints; otherwise the table. */
  tableBy(table: string, index: string): AliasedTable
  /** A row limit, which is one bound value. */
  limit(most: unknown): RawBuilder<number>
  /**
   * The end of a query that locks its rows; absent where a transaction locks the whole database.
   */
  readonly lockClause: Readonly<Partial<Record<RowLock, RawBuilder<unknown>>>>
  /** Whether a sorted UNION ALL reads its branches side by side, and stops at the limit. */
  readonly mergesUnions: boolean
  /**
   * Whether `OR FAIL` inserts single rows: the database finds a violated key before it writes, so
   * it need not keep data for a rollback.
   */
  readonly insertsOneOrFails?: true
  /** Columns of new rows, besides id and version, that the database needs after an insert. */
  alsoReturned?(resource: Resource): readonly string[]
  /** Whether the database sorts nulls as the smallest values. */
  readonly nullsAreSmallest: boolean
}
