/** The parts that queries for rows have in common: the columns that they select, in the order that `rowReader` expects, and their order. */
import type { OrderByItemBuilder, SelectQueryBuilder } from 'kysely'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { columnOf, versionColumn } from '../model/model.ts'
import type { Dialect } from './dialect.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kysely's schema type for tables that are only known at run time
export type RowQuery = SelectQueryBuilder<any, any, any>

export function columnsOf(resource: Resource): string[] {
  return [...resource.storedNames.map(columnOf), versionColumn].map((name) => `${resource.table}.${name}`)
}

export function selection({ builder }: Dialect, resource: Resource): RowQuery {
  return builder.selectFrom(resource.table).select(columnsOf(resource))
}

/** Null is the smallest value. `nameOf`: what a column is called where the order stands. */
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
