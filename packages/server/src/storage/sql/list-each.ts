/**
 * Reads the first rows of each of many lists in one statement: the last 10 orders of 20 users. Each
 * list stops at its tenth row where an index has its order. A window function would number all
 * rows, and then drop most of them.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { ColumnType } from '../../resource/fields/field.ts'
import { compareRecords } from '../derived/sort-order.ts'
import { columnOf } from '../model/model.ts'
import type { EachRequest, Row } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import type { EachListQuery } from './dialect.ts'
import { sql } from './kysely.ts'
import { inOrder, type RowQuery } from './select-rows.ts'
import { nextSlot } from './shape.ts'

export function listEach(compiler: Compiler, resource: Resource, request: EachRequest): Statement {
  const { dialect } = compiler
  const { by, ids, where, sort, limit, most } = request
  const shape = compiler.shapeOf(`each ${by}`, resource, where)
  shape.key += ` by ${sort.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()}`
  shape.add(dialect.encodeList(ids))
  shape.add(limit)
  shape.add(most)
  return compiler.fill(shape, (compiling) => {
    const condition = compileCondition(resource, where, compiling)
    const [given, rows, all] = [nextSlot(compiling), nextSlot(compiling), nextSlot(compiling)]
    const nameOf = (column: string) => `${resource.table}.${column}`
    const of = (query: RowQuery): RowQuery => {
      const tied = query.where(sql<boolean>`${sql.ref(nameOf(columnOf(by)))} = given.value`).where(condition)
      return inOrder(dialect, tied, { resource, sort, nameOf }).limit(dialect.limit(rows))
    }
    const type = resource.fields[by]?.type.column as ColumnType
    const parts: EachListQuery = { resource, type, given, of, most: all }
    return dialect.listEach(parts).compile(dialect.builder)
  })
}

/**
 * The rows by their value, the values in the given order, and each one's rows in the order of the
 * sort.
 */
export function inOrderOfEach({ by, sort }: Pick<EachRequest, 'by' | 'sort'>, rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, (row) => row[by])
  const compare = (a: Row, b: Row) => compareRecords(sort, a, b)
  return [...groups.values()].flatMap((group) => group.sort(compare))
}
