/**
 * Lists the SQLite indexes that can have a rank index: those in the order of a list, with the id as
 * their last key.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Field } from '../../../resource/fields/field.ts'
import { columnOf, type ModelTable } from '../../model/model.ts'
import { tableItself } from '../dialect.ts'

export type RankedIndex = {
  readonly resource: Resource
  readonly name: string
  /** The id is last, so that no two entries are equal. */
  readonly fields: readonly string[]
  /** The booleans behind the id: counts by them need no read of the table. */
  readonly flags: readonly string[]
  /** Other fields behind the id: filters on them need no read of the table. */
  readonly carried: readonly string[]
}

const flagsMax = 4

function isFlag({ type, nullable }: Field): boolean {
  return type.column === 'boolean' && !nullable
}

/**
 * The order of the ids: the table itself for generated ids, else the index that keeps them unique.
 */
function idIndex(resource: Resource): RankedIndex {
  const name = resource.hasCountedId ? tableItself : `sqlite_autoindex_${resource.table}_1`
  return { resource, name, fields: [resource.idField], flags: [], carried: [] }
}

export function rankedIndexesOf(resource: Resource, table: ModelTable): RankedIndex[] {
  const fieldOf = new Map(resource.storedNames.map((name) => [columnOf(name), name]))
  const listed = table.indexes.flatMap(({ name, columns }) => {
    const names = columns.map((column) => fieldOf.get(column))
    const idAt = names.indexOf(resource.idField)
    if (idAt === -1 || names.includes(undefined)) return []
    const fields = names.slice(0, idAt + 1) as string[]
    const behind = names.slice(idAt + 1) as string[]
    const flags = behind.filter((one) => isFlag(resource.fields[one] as Field)).slice(0, flagsMax)
    return [{ resource, name, fields, flags, carried: behind.filter((one) => !flags.includes(one)) }]
  })
  return [...listed, idIndex(resource)]
}
