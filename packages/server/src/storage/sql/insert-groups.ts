/** Rows of an INSERT: those with an id apart from those that get one. */
import type { Resource } from '../../resource/catalog.ts'
import { versionColumn } from '../model/model.ts'
import type { Values } from '../storage.ts'
import type { ColumnWriter } from './row.ts'

export type InsertGroup = {
  readonly columns: readonly string[]
  readonly rows: unknown[][]
  readonly records: Values[]
  highestId: number | undefined
}

/**
 * The row counts of one INSERT: some work is done once a statement. Only these sizes are used,
 * because each is a prepared statement.
 */
export const rowsMax = 250
export const fewRowsMax = 50

/** The version that a row begins with: a record that comes back has had others. */
export const firstVersion = ({ version = 1 }: Values): number => version as number

/** Every stored field; without the id when the database generates it. */
export function recordOf(resource: Resource, values: Values): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const name of resource.storedNames) record[name] = values[name] ?? null
  if (record[resource.idField] === null) delete record[resource.idField]
  return record
}

/** Separates records with an id from those that get one, each in their order. */
export function groupsOf(writer: ColumnWriter, resource: Resource, records: readonly Values[]): InsertGroup[] {
  const groups = new Map<readonly string[], InsertGroup>()
  for (const values of records) {
    const record = recordOf(resource, values)
    const id = record[resource.idField]
    const { columns, values: cells } = writer.whole(record)
    const group = groups.get(columns) ?? {
      columns: [...columns, versionColumn],
      rows: [],
      records: [],
      highestId: undefined,
    }
    groups.set(columns, group)
    group.rows.push([...cells, firstVersion(values)])
    group.records.push(record)
    if (typeof id === 'number') group.highestId = Math.max(id, group.highestId ?? id)
  }
  return [...groups.values()]
}
