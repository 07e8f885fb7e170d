/**
 * Moves removed records to the trash: to the engine's table of their resource, in the same
 * transaction. Records that go with others share their group, by which they come back together.
 */
import type { ReferenceRelation, Resource } from '../../resource/catalog.ts'
import { trashFields } from '../../resource/made/declared-trash.ts'
import type { Row } from '../../storage/storage.ts'
import { existsKey } from '../stored-values.ts'
import type { WriteContext } from '../write-context.ts'

/** The group of each record that goes to the trash, by its key. `roots`: those that were asked. */
export type TrashGroups = { readonly groups: Map<string, string>; readonly roots: ReadonlySet<string> }

/** Undefined where the records end for good. */
export function beginTrashing(
  { makeId }: WriteContext,
  resource: Resource,
  rows: readonly Row[],
): TrashGroups | undefined {
  if (!resource.trash?.takesOwn) return undefined
  const keys = rows.map((row) => existsKey(resource, row[resource.idField]))
  return { groups: new Map(keys.map((key) => [key, makeId()])), roots: new Set(keys) }
}

/** Rows that refer to records of a group by this reference join it. */
export function joinGroups(
  { groups }: TrashGroups,
  { resource, field }: ReferenceRelation,
  { of, rows }: { readonly of: Resource; readonly rows: readonly Row[] },
): void {
  for (const row of rows) {
    const key = existsKey(resource, row[resource.idField])
    const group = groups.get(existsKey(of, row[field]))
    if (group !== undefined && !groups.has(key)) groups.set(key, group)
  }
}

/** A row keeps its version in the trash. */
export async function moveToTrash(
  { transaction, author, now }: WriteContext,
  { groups, roots }: TrashGroups,
  { of, rows }: { readonly of: Resource; readonly rows: readonly Row[] },
): Promise<void> {
  if (!of.trash) return
  const values = rows.map((row) => {
    const key = existsKey(of, row[of.idField])
    return {
      ...row,
      [trashFields.at]: now,
      [trashFields.by]: author.userId,
      [trashFields.group]: groups.get(key),
      [trashFields.root]: roots.has(key),
    }
  })
  await transaction.insertAll(of.trash.resource, values)
}

/** The resource whose deleted records are in this table; undefined for any other table. */
export function trashedResource(
  { catalog }: Pick<WriteContext, 'catalog'>,
  { traits }: Resource,
): Resource | undefined {
  return traits.made?.kind === 'trash' ? catalog.get(traits.made.of) : undefined
}
