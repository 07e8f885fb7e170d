/**
 * Replace, update, delete. The record is loaded and judged inside the transaction that changes it: not visible is not found, visible but not
 * allowed is forbidden, and nobody changes it between the judgement and the write.
 */

import type { ChangeOperation, DeleteOperation, Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Row, Transaction } from '../storage/storage.ts'
import { afterSecretChange, checkCredentials, hashSecrets } from './credential-writes.ts'
import type { Engine } from './engine.ts'
import { notFound, whereOf } from './find.ts'
import { complete } from './read.ts'
import { withVirtualFields } from './related.ts'
import type { NoResult, RecordResult } from './result.ts'
import { touchParents } from './touch.ts'
import {
  applyFollowing,
  checkFixed,
  checkGuarded,
  checkReferences,
  checkVersion,
  type Draft,
  defaultContext,
  resolveDefaults,
} from './values.ts'

/** The record of a write, locked. Throws `not-found`, `forbidden`, `precondition-failed`. */
export async function lockForWrite(
  transaction: Transaction,
  permitted: Permitted<Operation & { id: string | undefined; ifVersion: readonly number[] | undefined }>,
  toDelete = false,
): Promise<Row> {
  const { operation, read, write, refusal } = permitted
  const where = all(await whereOf(transaction, permitted), read)
  const found = await transaction.lock(operation.resource, where, {
    test: write.kind === 'true' ? undefined : write,
    toDelete,
  })
  if (!found) throw notFound(operation.resource, operation.kind)
  if (!found.passes) throw refusal()
  checkVersion(found.row, operation.ifVersion)
  return found.row
}

/** The row with these values inside a transaction, with all that follows from them. */
export async function changeOne(
  engine: Engine,
  transaction: Transaction,
  resource: Resource,
  before: Row,
  values: Draft,
): Promise<Row> {
  const next: Draft = { ...before, ...values }
  applyFollowing(resource, next)
  if (resource.updatedField) next[resource.updatedField] = new Date(engine.clock()).toISOString()
  const changes: Draft = {}
  for (const name of resource.storedNames) {
    if (next[name] !== before[name]) changes[name] = next[name]
  }
  const row = await transaction.update(resource, before, changes)
  await touchParents(engine, transaction, resource, row)
  return row
}

export async function performChange(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  checkCredentials(engine, permitted, sent)
  await hashSecrets(engine, resource, sent)
  const record = await engine.storage.transaction(async (transaction) => {
    const before = await lockForWrite(transaction, permitted)
    if (body.fixed.size > 0) {
      const loading = { engine, reader: transaction, principal: permitted.principal }
      const [shown] = await withVirtualFields(loading, { resource, rows: [before], names: null })
      checkFixed(resource, body, shown as Row)
    }
    const values = { ...sent }
    checkGuarded(permitted, values, before)
    const changed = Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]))
    await checkReferences(engine, transaction, resource, changed)
    const row = await changeOne(engine, transaction, resource, before, values)
    await afterSecretChange(engine, permitted, transaction, row, sent)
    const [completed] = await complete({ engine, reader: transaction, permitted }, resource, [row])
    return completed as Row
  })
  return { kind: 'record', resource, record, created: false }
}

/** What becomes of the records that refer to one that goes: some are deleted, the others lose the reference, and count it as a write. */
async function releaseReferences(transaction: Transaction, resource: Resource, id: Scalar): Promise<void> {
  for (const { resource: from, field, options } of resource.referencedBy) {
    const refers = equal(field, id)
    if (options.onDelete === 'delete') continue // the foreign key cascades
    if (typeof options.onDelete === 'object') {
      const conditions = Object.entries(options.onDelete.deleteWhere).map(([name, value]) => equal(name, value))
      await transaction.deleteWhere(from, all(refers, ...conditions))
    }
    await transaction.updateWhere(from, refers, { [field]: null })
  }
}

export async function deleteOne(engine: Engine, transaction: Transaction, resource: Resource, row: Row): Promise<void> {
  const id = row[resource.idField] as Scalar
  await releaseReferences(transaction, resource, id)
  await transaction.deleteWhere(resource, equal(resource.idField, id))
  await touchParents(engine, transaction, resource, row)
}

export async function performDelete(engine: Engine, permitted: Permitted<DeleteOperation>): Promise<NoResult> {
  const { resource } = permitted.operation
  await engine.storage.transaction(async (transaction) => {
    const row = await lockForWrite(transaction, permitted, true)
    await deleteOne(engine, transaction, resource, row)
  })
  return { kind: 'none' }
}
