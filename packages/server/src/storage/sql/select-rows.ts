/**
 * The common parts of queries for rows: the selected columns, in the order that `rowReader`
 * expects, and the sort.
 */
import type { AliasedRawBuilder, Expression, OrderByItemBuilder, RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import type { ColumnType } from '../../resource/fields/field.ts'
import { columnOf, versionColumn } from '../model/model.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type RowQuery = SelectQueryBuilder<any, any, any>

/**
 * A column as the drivers can read it. They read a 64-bit integer as a double, which loses digits,
 * so it comes as text.
 */
export function readable(type: ColumnType | undefined, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return type === 'long' ? sql`cast(${value} as text)` : value
}

/** Such a text → the stored value. */
export const decodeLong = (cell: unknown): bigint => BigInt(cell as string)

/** A column of a query under its own name. */
export function selected(type: ColumnType | undefined, ref: string): ShownColumn {
  if (type !== 'long') return ref
  return readable(type, sql`${sql.ref(ref)}`).as(ref.slice(ref.lastIndexOf('.') + 1))
}

type ShownColumn = string | AliasedRawBuilder<unknown, string>

/** The stored columns of a resource, and its version, by their names. */
export function columnNames(resource: Resource): string[] {
  return [...resource.storedNames.map(columnOf), versionColumn].map((name) => `${resource.table}.${name}`)
}

const typeAt = ({ storedNames, fields }: Resource, i: number) => fields[storedNames[i] ?? '']?.type.column

export function columnsOf(resource: Resource): ShownColumn[] {
  return columnNames(resource).map((ref, i) => selected(typeAt(resource, i), ref))
}

/** The same columns without names, in a select list that is written out. */
export function readableColumns(resource: Resource): Expression<unknown>[] {
  return columnNames(resource).map((ref, i) => readable(typeAt(resource, i), sql`${sql.ref(ref)}`))
}

/**
 * The table with an index hint. Its type is a name: tables are only known at run time, and the
 * builder treats both the same.
 */
export function sourceOf(dialect: Dialect, { table }: Resource, index: string | undefined): string {
  return index === undefined ? table : (dialect.tableBy(table, index) as unknown as string)
}

export function selection(dialect: Dialect, resource: Resource, index?: string): RowQuery {
  return dialect.builder.selectFrom(sourceOf(dialect, resource, index)).select(columnsOf(resource))
}

/** Null is the smallest value. `nameOf`: the name of a column in the ORDER BY clause. */
export function inOrder(
  dialect: Dialect,
  query: RowQuery,
  {
    resource,
    sort,
    nameOf,
  }: { readonly resource: Resource; readonly sort: readonly SortKey[]; nameOf(column: string): string },
): RowQuery {
  let ordered = query
  for (const { field, descending } of sort) {
    const direction = (item: OrderByItemBuilder) => {
      const directed = descending ? item.desc() : item.asc()
      if (dialect.nullsAreSmallest || !resource.fields[field]?.nullable) return directed
      return descending ? directed.nullsLast() : directed.nullsFirst()
    }
    ordered = ordered.orderBy(nameOf(columnOf(field)), direction)
  }
  return ordered
}
