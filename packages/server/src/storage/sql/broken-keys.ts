/** Reports the violation of a unique key as the conflict over a declared key. */
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { columnOf, foldColumnOf } from '../model/model.ts'
import { conflictOver, type Values } from '../storage.ts'
import type { ColumnWriter } from './row.ts'

/** The rows that a refused statement should have stored, by column. */
export type IntendedRows = {
  readonly table: string
  readonly idColumn: string
  readonly rows: readonly ReadonlyMap<string, unknown>[]
  /** Of the row that an update changes; undefined for new rows. */
  readonly id: Scalar | undefined
}

export type KeyNaming = {
  /** The columns of the violated unique key; undefined for any other error. */
  uniqueColumnsOf(error: unknown, resource: Resource): readonly string[] | undefined
  /**
   * The columns of the oldest unique key that the first refused row breaks. Absent where the
   * database names that one.
   */
  firstBrokenKey?(rows: IntendedRows): Promise<readonly string[] | undefined>
}

/** `id`: of the row that an update changes. */
export function intendedRows(
  writer: ColumnWriter,
  resource: Resource,
  { records, id }: { readonly records: readonly Values[]; readonly id?: Scalar },
): IntendedRows {
  const rows = records.map((record) => {
    const { columns, values } = writer.whole(record)
    return new Map(columns.map((column, i) => [column, values[i]]))
  })
  return { table: resource.table, idColumn: columnOf(resource.idField), rows, id }
}

type Refusal = { readonly error: unknown; readonly intended: (() => IntendedRows) | undefined }

/** A `conflict` that names the declared key with these columns; any other error stays as it is. */
export async function conflictOf(
  naming: KeyNaming,
  resource: Resource,
  { error, intended }: Refusal,
): Promise<unknown> {
  const named = naming.uniqueColumnsOf(error, resource)
  if (!named) return error
  // A counted id is no index: each database looks at it first.
  const isFirst = !intended || named.includes(columnOf(resource.idField))
  const columns = (isFirst ? undefined : await naming.firstBrokenKey?.(intended())) ?? named
  const key = resource.unique.find((names) =>
    names.every((name) => columns.includes(columnOf(name)) || columns.includes(foldColumnOf(name))),
  )
  return conflictOver(resource, key ?? columns, error)
}
