/** Writes that count elsewhere too: a part of a record changes, and so does the record. */

import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Values } from '../storage/storage.ts'
import type { Door } from './records.ts'

/** What is being removed, by resource: it needs no touch any more. */
export type Going = ReadonlyMap<Resource, ReadonlySet<unknown>>

type Written = { readonly resource: Resource; readonly rows: readonly Values[]; readonly going?: Going }

/** Every write to one of these rows counts as one to each record that it is part of: once, however many of its parts are written. */
export async function touchParents(door: Door, { resource, rows, going }: Written): Promise<void> {
  const { catalog, transaction, now } = door
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
