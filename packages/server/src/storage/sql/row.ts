/**
 * Converts records to columns and rows back to records. The columns include the folded and searched
 * texts derived from the values.
 */

import { markWords } from '../../base/fold.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { earlierWords, presentWord } from '../../resource/fields/field-facts.ts'
import { columnOf, foldColumnOf, foldOf, isFolded, searchColumn } from '../model/model.ts'
import type { Row, Values } from '../stored-row.ts'
import type { Dialect } from './dialect.ts'

export type ColumnValues = { readonly columns: readonly string[]; readonly values: readonly unknown[] }

/** The columns of a record's values, computed once per resource. */
export type ColumnWriter = {
  /** The columns that these changes write. `record` is the whole record with the changes. */
  changed(changes: Values, record: Values): ColumnValues
  /** Those of a record that has every stored field, with or without its id. */
  whole(record: Values): ColumnValues
}

type ColumnWrite = {
  readonly name: string
  readonly columns: readonly string[]
  /** Appends the cells of these columns. */
  put(cells: unknown[], value: unknown): void
}

/** The text of the whole record that search looks in. */
export function searchTextOf(resource: Resource, record: Values): string {
  return resource.list.search.map((name) => markWords((record[name] as string | null) ?? '')).join('\n')
}

function writtenField(dialect: Dialect, resource: Resource, name: string): ColumnWrite {
  const { column } = (resource.fields[name] as Field).type
  const cellOf = (value: unknown) => (value === null || value === undefined ? null : dialect.encode(column, value))
  const put = (cells: unknown[], value: unknown) => void cells.push(cellOf(value))
  if (!isFolded(resource, name)) return { name, columns: [columnOf(name)], put }
  const fold = foldOf(resource, name)
  return {
    name,
    columns: [columnOf(name), foldColumnOf(name)],
    put: (cells, value) => void cells.push(cellOf(value), typeof value === 'string' ? fold(value) : null),
  }
}

export function columnWriter(dialect: Dialect, resource: Resource): ColumnWriter {
  const { search } = resource.list
  const fields = resource.storedNames.map((name) => writtenField(dialect, resource, name))
  const rest = fields.filter(({ name }) => name !== resource.idField)
  const columnsOf = (written: readonly ColumnWrite[]) => [
    ...written.flatMap(({ columns }) => columns),
    ...(search.length > 0 ? [searchColumn] : []),
  ]
  const withId = { written: fields, columns: columnsOf(fields) }
  const withoutId = { written: rest, columns: columnsOf(rest) }

  return {
    changed(changes, record) {
      const columns: string[] = []
      const values: unknown[] = []
      for (const field of fields) {
        if (!Object.hasOwn(changes, field.name)) continue
        columns.push(...field.columns)
        field.put(values, changes[field.name])
      }
      if (search.some((name) => Object.hasOwn(changes, name))) {
        columns.push(searchColumn)
        values.push(searchTextOf(resource, record))
      }
      return { columns, values }
    },
    whole(record) {
      const { written, columns } = Object.hasOwn(record, resource.idField) ? withId : withoutId
      const values: unknown[] = []
      for (const { name, put } of written) put(values, record[name])
      if (search.length > 0) values.push(searchTextOf(resource, record))
      return { columns, values }
    },
  }
}

type ReadRow = { version: number; [field: string]: unknown }

/**
 * Fixes rows that an instance of the version before writes beside this one. A missing required
 * value gets its backfill, and a renamed word its new name.
 */
function lateReader(resource: Resource): ((row: ReadRow) => void) | undefined {
  const late = resource.storedNames.flatMap((name) => {
    const field = resource.fields[name] as Field
    const words = earlierWords(field)
    const { backfill } = field
    const changes: ((row: ReadRow) => void)[] = []
    if (Object.keys(words).length > 0)
      changes.push((row) => {
        row[name] = presentWord(words, row[name])
      })
    if (typeof backfill === 'function' && !field.nullable)
      changes.push((row) => {
        row[name] ??= backfill(row)
      })
    return changes
  })
  if (late.length === 0) return undefined
  return (row) => {
    for (const change of late) change(row)
  }
}

/**
 * Makes a function from the driver's arrays to rows, in the order that statements select: the
 * stored fields, then the version.
 */
export function rowReader(dialect: Dialect, resource: Resource): (cells: readonly unknown[]) => Row {
  const names = resource.storedNames
  const decoders = names.map((name) => dialect.decode[(resource.fields[name] as Field).type.column])
  const mendLate = lateReader(resource)
  return (cells) => {
    const row: ReadRow = { version: cells[names.length] as number }
    for (let i = 0; i < names.length; i += 1) {
      const cell = cells[i]
      const decode = decoders[i]
      row[names[i] as string] = decode && cell !== null ? decode(cell) : cell
    }
    mendLate?.(row)
    return row
  }
}
