/**
 * Removes many records in small batches, each in a transaction of its own, so that other writes run
 * in between.
 */
import { limits } from '../limits.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, type Scalar } from '../resource/condition.ts'
import type { Author } from '../storage/changes.ts'
import type { ReadStorage } from '../storage/storage.ts'
import type { Engine } from './engine.ts'

export type BoundedRemoval = {
  readonly resource: Resource
  readonly where: Condition
  readonly author: Author
  /** Finds the records. */
  readonly storage: Pick<ReadStorage, 'list'>
}

/**
 * The next few. `removed`: without those that match no longer. `isLast`: whether no more were
 * found.
 */
export async function removeSome(
  { records }: Pick<Engine, 'records'>,
  { resource, where, author, storage }: BoundedRemoval,
): Promise<{ readonly removed: number; readonly isLast: boolean }> {
  const sort = [{ field: resource.idField, descending: false }]
  const found = await storage.list(resource, { where, sort, limit: limits.sweptAtOnce, after: null })
  const isLast = found.length < limits.sweptAtOnce
  if (found.length === 0) return { removed: 0, isLast }
  const ids = found.map((row) => row[resource.idField] as Scalar)
  const still = all({ kind: 'in', field: resource.idField, values: ids }, where)
  return { removed: await records.transaction(author, (tx) => tx.removeWhere(resource, still)), isLast }
}
