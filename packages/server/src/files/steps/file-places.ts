/**
 * The tables in which a file of a resource may be named: records and versions, and the trash of
 * each.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { fileIdOf } from '../../resource/fields/files/stored-file.ts'
import { historyFields } from '../../resource/made/declared-history.ts'
import type { Values } from '../../storage/storage.ts'

/** `of`: the field of a row that has the id of the record. */
export type FilePlace = {
  readonly table: Resource
  readonly of: string
  readonly names: readonly string[]
  readonly isOfVersions: boolean
}

/** A resource of the application with fields that hold files, and every place of them. */
export type FileHolder = { readonly resource: Resource; readonly places: readonly FilePlace[] }

function withTrash(resource: Resource, of: string, isOfVersions = false): FilePlace[] {
  const tables = [resource, ...(resource.trash ? [resource.trash.resource] : [])]
  return tables.map((table) => ({ table, of, names: table.fileNames, isOfVersions }))
}

export function fileHolders({ resources, get }: Catalog): readonly FileHolder[] {
  return [...resources.values()].flatMap((resource) => {
    const { fileNames, traits, idField, history } = resource
    if (fileNames.length === 0 || traits.made) return []
    const versions = history ? withTrash(get(history.resource), historyFields.of, true) : []
    return [{ resource, places: [...withTrash(resource, idField), ...versions] }]
  })
}

/** The ids of the files in these fields of a row. */
export function filesIn(row: Values, names: readonly string[]): ReadonlySet<string> {
  const values = names.flatMap((name) => [row[name] ?? []].flat())
  return new Set(values.map((one) => fileIdOf(one)).filter((one) => one !== undefined))
}
