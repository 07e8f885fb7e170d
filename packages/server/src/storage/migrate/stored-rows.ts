/**
 * Reads the rows of a table by its stored columns, not its declaration, in the order of their keys.
 */
import type { SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { StoredRow } from '../../resource/fields/computed/earlier-values.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import { isMadeColumn, type ModelColumn, type ModelTable, versionColumn } from '../model/model.ts'
import type { Dialect } from '../sql/dialect.ts'
import { sql } from '../sql/kysely.ts'
import type { Executor } from '../sql/reader.ts'
import { selected } from '../sql/select-rows.ts'

export type RowReader = { readonly dialect: Dialect; readonly executor: Executor }

/** `row`: stored values by earlier and current field names. */
export type StoredRecord = {
  readonly id: Scalar
  readonly version: number
  readonly row: StoredRow
  cellOf(column: string): unknown
}

const batchRows = 1_000

/** Databases of an earlier version do not store the field of a column. */
function fieldNameOf({ name, means }: ModelColumn): string {
  return means?.field ?? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function makeRow(resource: Resource | undefined, values: Record<string, unknown>): StoredRow {
  for (const [name, field] of Object.entries(resource?.fields ?? {})) {
    if (Object.hasOwn(values, name)) continue
    const earlier = earlierNames(field).find((one) => Object.hasOwn(values, one))
    if (earlier !== undefined) values[name] = values[earlier]
  }
  return values
}

export type RowReadRequest = {
  readonly table: ModelTable
  readonly resource?: Resource | undefined
  /** A condition in SQL: only these rows. */
  readonly only?: string | undefined
}

/**
 * At most a thousand rows behind the one with the id `after`; without `after`, from the beginning.
 */
export async function nextRows(
  { dialect, executor }: RowReader,
  { table, resource, only }: RowReadRequest,
  after: Scalar | undefined,
): Promise<readonly StoredRecord[]> {
  const columns = table.columns.filter(({ name }) => !isMadeColumn(name) || name.endsWith('__next'))
  const names = columns.map(({ name }) => name)
  const whole = dialect.builder.selectFrom(table.name).select(columns.map(({ name, type }) => selected(type, name)))
  const all = only === undefined ? whole : whole.where(sql<SqlBool>`(${sql.raw(only)})`)
  const behind = after === undefined ? all : all.where(table.primaryKey, '>', after)
  const { sql: text, parameters } = behind.orderBy(table.primaryKey).limit(batchRows).compile()
  const rows: readonly (readonly unknown[])[] = await executor.all({ sql: text, parameters: [...parameters] })
  return rows.map((cells) => {
    const decoded: unknown[] = columns.map(({ type }, i) => {
      const decode = dialect.decode[type]
      return decode && cells[i] !== null ? decode(cells[i]) : cells[i]
    })
    const values = Object.fromEntries(columns.map((column, i) => [fieldNameOf(column), decoded[i]]))
    return {
      id: decoded[names.indexOf(table.primaryKey)] as Scalar,
      version: decoded[names.indexOf(versionColumn)] as number,
      row: makeRow(resource, values),
      cellOf: (column) => decoded[names.indexOf(column)],
    }
  })
}

export async function* allRows(from: RowReader, of: RowReadRequest): AsyncGenerator<readonly StoredRecord[]> {
  for (let after: Scalar | undefined; ; ) {
    const rows = await nextRows(from, of, after)
    if (rows.length > 0) yield rows
    if (rows.length < batchRows) return
    after = rows.at(-1)?.id
  }
}
