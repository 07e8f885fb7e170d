/**
 * Computes the values that a migration writes into rows: from a backfill, a conversion, or the old
 * column of a rename.
 */
import type { Resource } from '../../resource/catalog.ts'
import { valueMaker } from '../../resource/fields/computed/computed-value.ts'
import type { StoredRow } from '../../resource/fields/computed/earlier-values.ts'
import type { Field } from '../../resource/fields/field.ts'
import { conversionOf, earlierWords, presentWord } from '../../resource/fields/field-facts.ts'
import { isBlank } from '../../resource/fields/text.ts'
import { isMadeColumn, type ModelColumn, type ModelTable } from '../model/model.ts'
import type { Dialect } from '../sql/dialect.ts'
import { columnWriter } from '../sql/row.ts'
import type { ColumnFiller } from './steps.ts'
import type { StoredRecord } from './stored-rows.ts'

/**
 * The values of the filled columns, in stored form; undefined where the row keeps its own. `row` is
 * the record with them.
 */
export type FilledRow = { readonly columns: ReadonlyMap<string, unknown>; readonly row: StoredRow }
export type FillRow = (record: StoredRecord) => FilledRow

function isMissing(value: unknown, { required }: Field): boolean {
  return value === null || value === undefined || (required && isBlank(value))
}

/** A value from a declaration's function. Throws when the field may not store it. */
function checked(value: unknown, name: string, field: Field): unknown {
  if (value === null || value === undefined) {
    if (!field.nullable) throw new Error(`${name} must not be null`)
    return null
  }
  if (isMissing(value, field)) throw new Error(`${name} is required`)
  field.type.checkStored(value, name, field)
  return value
}

/**
 * The backfill value of a record. Throws the errors of the declaration's function, and an error
 * where the field may not store the value.
 */
export function backfilled(row: StoredRow, name: string, field: Field): unknown {
  if (typeof field.backfill === 'function') return checked(field.backfill(row), name, field)
  if (field.backfill === undefined || field.backfill === null) return null
  return checked(field.type.check(field.backfill, 'its backfill', field), name, field)
}

/**
 * A stored value of another type → one of this field, or its backfill for null. Throws like
 * `backfilled`.
 */
export function converted(
  value: unknown,
  row: StoredRow,
  { name, field, kind }: Pick<FieldFiller, 'name' | 'field' | 'kind'>,
): unknown {
  const convert = conversionOf(field, { kind, name })
  const made = value === null ? null : checked(convert?.(value, row), name, field)
  return made === null && field.backfill !== undefined ? backfilled(row, name, field) : made
}

function fieldFilledBy(after: ModelTable, { column, by }: ColumnFiller): ModelColumn {
  const name = by === 'convert' ? column.replace(/__next$/, '') : column
  return after.columns.find((one) => one.name === name) as ModelColumn
}

type FieldFiller = ColumnFiller & {
  readonly name: string
  readonly field: Field
  /** Of a computed field. */
  readonly compute: ((row: StoredRow) => unknown) | undefined
}

/** A stored value as the record will have it when the migration has ended. */
export function valueToBe(row: StoredRow, name: string, field: Field): unknown {
  if (row[name] !== undefined) return presentWord(earlierWords(field), row[name])
  const given = field.backfill ?? field.default
  return given === undefined || given === null || typeof given === 'function'
    ? null
    : field.type.check(given, 'its default', field)
}

/** Computes a value of the record. Throws where its field may not store it. */
export function computeMaker({ fields, storedNames }: Resource, name: string): (row: StoredRow) => unknown {
  const make = valueMaker(fields, name)
  const field = fields[name] as Field
  return (row) => {
    const record = storedNames.map((one) => [one, valueToBe(row, one, fields[one] as Field)] as const)
    return checked(make(Object.fromEntries(record)), name, field)
  }
}

/** Undefined where the row keeps its own value. */
function valueFor(
  { column, by, from, kind, name, field, compute }: FieldFiller,
  { cellOf }: StoredRecord,
  row: StoredRow,
): unknown {
  if (compute && by === 'compute') return compute(row)
  if (by === 'backfill') return isMissing(cellOf(column), field) ? backfilled(row, name, field) : undefined
  const source = (from === undefined ? null : cellOf(from)) ?? null
  if (by === 'convert') return converted(source, row, { name, field, kind })
  return isMissing(source, field) && field.backfill !== undefined ? backfilled(row, name, field) : source
}

/**
 * `after`: the declared table. The returned function throws the errors of the declaration's
 * functions.
 */
export function makeFillRow(resource: Resource, after: ModelTable, fillers: readonly ColumnFiller[]): FillRow {
  const fillings = fillers.map((filler): FieldFiller => {
    const name = fieldFilledBy(after, filler).means?.field as string
    const compute = filler.by === 'compute' ? computeMaker(resource, name) : undefined
    return { ...filler, name, field: resource.fields[name] as Field, compute }
  })
  return (record) => {
    const row: Record<string, unknown> = { ...record.row }
    const columns = new Map<string, unknown>()
    for (const filling of fillings) {
      const value = valueFor(filling, record, row)
      if (value === undefined) continue
      columns.set(filling.column, value)
      row[filling.name] = value
    }
    return { columns, row }
  }
}

/** The folded and searched texts of the record. */
export function makeTextsRow(dialect: Dialect, resource: Resource): FillRow {
  const writer = columnWriter(dialect, resource)
  return ({ row }) => {
    const { columns, values } = writer.changed(row, row)
    const made = columns.flatMap((column, i) => (isMadeColumn(column) ? [[column, values[i]] as const] : []))
    return { columns: new Map(made), row }
  }
}
