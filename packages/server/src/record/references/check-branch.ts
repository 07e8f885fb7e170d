/**
 * Keeps trees without circles and within their depth. Every write that names a record above comes
 * here: creates, changes, imports, actions, restores.
 */
import type { Resource } from '../../resource/catalog.ts'
import { always, equal, type Scalar } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { levelBelow, type Tree, wayUp } from '../../resource/relations/tree.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Values } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'

type PlacedRow = {
  readonly resource: Resource
  /** The final values of the record. */
  readonly row: Values
  /** The fields that differ; absent for a record that is stored anew. */
  readonly changed?: readonly string[]
}

/**
 * A new record has none below it, unless references outlived an earlier one with its id. Such a
 * write moves a branch, as a change does.
 */
async function movesBranch({ transaction }: WriteContext, { resource, row, changed }: PlacedRow): Promise<boolean> {
  const { by } = resource.tree as Tree
  if (changed) return true
  return (await transaction.find(resource, equal(by, row[resource.idField] as Scalar))) !== undefined
}

/** Throws `bad-request` where the record would stand below itself, or too deep. */
export async function checkBranch(context: WriteContext, placed: PlacedRow): Promise<void> {
  const { resource, row, changed } = placed
  const { tree, idField } = resource
  if (!tree || (changed && !changed.includes(tree.by))) return
  const above = (row[tree.by] ?? null) as Scalar | null
  if (above === null) return
  const { transaction } = context
  const id = row[idField] as Scalar
  const moves = id !== undefined && (await movesBranch(context, placed))
  await transaction.lockName(`tree ${resource.name}`, !moves)
  const where = wayUp({ resource, id: above, where: always })
  const way = await transaction.list(resource, { where, sort: [], limit: tree.depth + 1 })
  if (above === id || way.some((one) => one[idField] === id || one[tree.by] === id))
    throw fieldError(tree.by, `must not name the record itself, or one below it`)
  const room = tree.depth - way.length
  const isDeep =
    moves && room > 0 && (await transaction.find(resource, levelBelow({ resource, id, where: always }, room)))
  if (room < 1 || isDeep)
    throw fieldError(tree.by, `puts ${inSentence(resource.plural)} deeper than ${tree.depth} levels`)
}
