/**
 * The common parts of queries for rows: the selected columns, in the order that `rowReader`
 * expects, and the sort.
 */
import type { OrderByItemBuilder, SelectQueryBuilder } from 'kysely'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { columnOf, versionColumn } from '../model/model.ts'
import type { Dialect } from './dialect.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type RowQuery = SelectQueryBuilder<any, any, any>

export function columnsOf(resource: Resource): string[] {
  return [...resource.storedNames.map(columnOf), versionColumn].map((name) => `${resource.table}.${name}`)
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
