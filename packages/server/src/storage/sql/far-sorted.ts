/**
 * Lists in the order of fields behind references. The values of the order are read beside each row,
 * and the list is a query of those rows. All of them are sorted, so the caller bounds their number.
 */
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { always } from '../../resource/condition.ts'
import { fieldOfKey } from '../../resource/relations/far-field.ts'
import { columnOf } from '../model/model.ts'
import type { ListRequest, Row } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import { describeFar, farColumn, joinFar } from './far-columns.ts'
import { afterCursor } from './keyset.ts'
import { sql } from './kysely.ts'
import type { SqlTools } from './reader.ts'
import { columnNames, columnsOf, inOrder, readable } from './select-rows.ts'
import { ParameterSlot } from './shape.ts'

/** The name of a value of the order; no field has an underscore. */
const farName = (key: number) => `far_${key}`

/** The resource with the values of the order as fields of its own, and the order by these. */
function asOwn(resource: Resource, sort: readonly SortKey[]) {
  const far = sort.flatMap((key, i) =>
    key.far ? [[farName(i), { ...fieldOfKey(resource, key), nullable: true }]] : [],
  )
  const keys = sort.map(({ field, descending, far }, i) => ({ field: far ? farName(i) : field, descending }))
  return { own: { ...resource, fields: { ...resource.fields, ...Object.fromEntries(far) } } as Resource, keys }
}

/** The cells of such a row are those of any row, and then the values of the order. */
export function listFarSorted(compiler: Compiler, resource: Resource, request: ListRequest): Statement {
  const { dialect, shapeOf, addTest, fill } = compiler
  const { where, sort, after, limit, offset = 0 } = request
  const { own, keys } = asOwn(resource, sort)
  const beyond = after ? afterCursor(own, keys, after) : always
  const shape = shapeOf('far list', resource, where)
  describeFar(compiler, shape, { resource, keys: sort })
  shape.key += ` by ${keys.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()} after `
  addTest(shape, own, beyond)
  shape.add(limit)
  shape.add(offset)
  return fill(shape, (compiling) => {
    const condition = compileCondition(resource, where, compiling)
    const rows = joinFar(dialect.builder.selectFrom(resource.table), { resource, keys: sort }, compiling)
      .select(columnNames(resource))
      .select(sort.flatMap((key, i) => (key.far ? [farColumn(key, i).as(columnOf(farName(i)))] : [])))
      .where(condition)
    const shown = sort.flatMap((key, i) => {
      if (!key.far) return []
      const column = columnOf(farName(i))
      const { type } = fieldOfKey(resource, key)
      return [readable(type.column, sql`${sql.ref(`${resource.table}.${column}`)}`).as(column)]
    })
    const query = dialect.builder
      .selectFrom(rows.as(resource.table))
      .select(columnsOf(resource))
      .select(shown)
      .where(compileCondition(own, beyond, compiling))
    const [most, skip] = [new ParameterSlot(compiling.slots++), new ParameterSlot(compiling.slots++)]
    const nameOf = (column: string) => `${resource.table}.${column}`
    return inOrder(dialect, query, { resource: own, sort: keys, nameOf })
      .limit(dialect.limit(most))
      .offset(sql<number>`${skip}`)
      .compile()
  })
}

/** Reads the rows of a list in this order. Each has the values of the order under their paths. */
export function rowReaderOf(
  { dialect, readerOf }: SqlTools,
  resource: Resource,
  sort: readonly SortKey[],
): (cells: readonly unknown[]) => Row {
  const read = readerOf(resource)
  const far = sort.filter((key) => key.far)
  if (far.length === 0) return read
  const decoders = far.map((key) => dialect.decode[fieldOfKey(resource, key).type.column])
  return (cells) => {
    const row: Record<string, unknown> & Row = { ...read(cells) }
    const first = cells.length - far.length
    for (const [i, { field }] of far.entries()) {
      const cell = cells[first + i] ?? null
      const decode = decoders[i]
      row[field] = decode && cell !== null ? decode(cell) : cell
    }
    return row
  }
}
