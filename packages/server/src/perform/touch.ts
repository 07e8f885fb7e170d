/** Writes that count elsewhere too: a record's part changes, and so does the record. */

import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { Row, Transaction } from '../storage/storage.ts'
import type { Engine } from './engine.ts'

/** Every write to a child counts as one to the record that it is part of. */
export async function touchParents(
  engine: Engine,
  transaction: Transaction,
  resource: Resource,
  row: Row,
): Promise<void> {
  for (const name of resource.storedNames) {
    const reference = resource.fields[name]?.reference
    if (!reference?.touch || row[name] === null) continue
    const target = engine.catalog.get(reference.resource)
    const changes = target.updatedField ? { [target.updatedField]: new Date(engine.clock()).toISOString() } : {}
    await transaction.updateWhere(target, equal(target.idField, row[name] as Scalar), changes)
  }
}
