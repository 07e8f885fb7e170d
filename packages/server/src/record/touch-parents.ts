/**
 * Touches the parent of a written part: a reference with `touch` raises the version of the record
 * that it names.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Values } from '../storage/storage.ts'
import type { RecordsBeingRemoved, WriteContext } from './write-context.ts'

type WrittenRows = {
  readonly resource: Resource
  readonly rows: readonly Values[]
  readonly going?: RecordsBeingRemoved
}

/**
 * Touches the records that these rows are part of: their versions go up once, however many of their
 * parts are written.
 */
export async function touchParents(context: WriteContext, { resource, rows, going }: WrittenRows): Promise<void> {
  const { catalog, transaction, now } = context
  for (const name of resource.storedNames) {
    const reference = resource.fields[name]?.reference
    if (!reference?.touch) continue
    const target = catalog.get(reference.resource)
    const ids = new Set<Scalar>()
    for (const row of rows) {
      const id = (row[name] ?? null) as Scalar | null
      if (id !== null && !going?.get(target)?.has(id)) ids.add(id)
    }
    if (ids.size === 0) continue
    await transaction.updateAll(target, [...ids], target.updatedField ? { [target.updatedField]: now } : {})
  }
}
