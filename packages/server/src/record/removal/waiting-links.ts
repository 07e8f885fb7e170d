/**
 * A link of two deleted records comes back with the second of them. Until then it stays in the
 * trash, in the group of the other record.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import { trashFields } from '../../resource/made/declared-trash.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Row } from '../../storage/storage.ts'
import { existsKey } from '../stored-values.ts'
import type { WriteContext } from '../write-context.ts'
import { batchRows, eachBatch } from './lock-batches.ts'

/** A row of the trash, and the resource that it comes back to. */
export type TrashedRow = { readonly resource: Resource; readonly row: Row }
export type TrashedRows = ReadonlyMap<string, TrashedRow>
type Links = { readonly table: Resource; readonly rows: readonly Row[]; readonly field: string }

/** The groups of deleted records that links name by this field. TrashedRows are left out. */
async function groupsOf(context: WriteContext, { table, rows, field }: Links, members: TrashedRows) {
  const groups = new Map<Row, string>()
  // The links of a version name records by ids alone, and wait for none.
  const reference = table.fields[field]?.reference
  if (!reference) return groups
  const target = context.catalog.get(reference.resource)
  const trash = target.trash?.resource
  if (!trash) return groups
  const byId = Map.groupBy(rows, (row) => row[field] as Scalar)
  const ids = [...byId.keys()].filter((id) => !members.has(existsKey(target, id)))
  for (let at = 0; at < ids.length; at += batchRows) {
    const where: Condition = { kind: 'in', field: trash.idField, values: ids.slice(at, at + batchRows) }
    // The rows are locked, so none of them comes back before the links have its group.
    await eachBatch(context, { resource: trash, where }, async (found) => {
      for (const one of found)
        for (const row of byId.get(one[trash.idField] as Scalar) ?? [])
          groups.set(row, one[trashFields.group] as string)
    })
  }
  return groups
}

/** Gives such links to the groups of the others. Returns the members that come back now. */
export async function leaveWaiting(context: WriteContext, members: TrashedRows): Promise<TrashedRows> {
  const left = new Map(members)
  const links = [...members.values()].filter(({ resource }) => resource.traits.made?.kind === 'links')
  for (const [table, all] of Map.groupBy(links, ({ resource }) => resource)) {
    const trash = table.trash?.resource as Resource
    for (const field of [linkFields.from, linkFields.to]) {
      const groups = await groupsOf(context, { table, rows: all.map(({ row }) => row), field }, members)
      for (const [group, rows] of Map.groupBy(groups.keys(), (row) => groups.get(row))) {
        const ids = rows.map((row) => row[table.idField] as Scalar)
        for (let at = 0; at < ids.length; at += batchRows)
          await context.transaction.updateAll(trash, ids.slice(at, at + batchRows), { [trashFields.group]: group })
        for (const id of ids) left.delete(existsKey(table, id))
      }
    }
  }
  return left
}
