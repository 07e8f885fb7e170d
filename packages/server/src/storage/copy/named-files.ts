/** The files that records, versions and rows in the trash name, in one snapshot of a database. */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { fileIdOf } from '../../resource/fields/files/stored-file.ts'
import { isTable } from '../../resource/members.ts'
import { columnOf } from '../model/model.ts'
import { idOf } from './copy-rows.ts'
import type { CopySource } from './copy-tables.ts'

/**
 * `table`: of the record, its versions or its trash. `isRefused`: by a scan, so its bytes are gone.
 */
export type NamedFile = {
  readonly id: string
  readonly table: string
  readonly row: string
  readonly field: string
  readonly isRefused: boolean
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value
}

function holders({ resources, files }: Catalog): Resource[] {
  return [...resources.values()].filter((resource) => resource !== files && resource.fileNames.length > 0)
}

type PlacedField = { readonly field: string; readonly place: number }

function* namedIn(
  row: readonly unknown[],
  places: readonly PlacedField[],
): Generator<Omit<NamedFile, 'table' | 'row'>> {
  for (const { field, place } of places)
    for (const value of [parsed(row[place]) ?? []].flat()) {
      const id = fileIdOf(value)
      if (id !== undefined) yield { id, field, isRefused: isTable(value) && value.scan === 'refused' }
    }
}

export async function* namedFilesOf(source: CopySource, catalog: Catalog): AsyncGenerator<NamedFile> {
  const byTable = new Map(holders(catalog).map((resource) => [resource.table, resource]))
  for (const table of source.tables) {
    const resource = byTable.get(table.name)
    if (!resource) continue
    const places = resource.fileNames.map((field) => ({
      field,
      place: table.columns.findIndex(({ name }) => name === columnOf(field)),
    }))
    for await (const { rows } of source.batches(table))
      for (const row of rows)
        for (const one of namedIn(row, places)) yield { ...one, table: table.name, row: String(idOf(table, row)) }
  }
}
