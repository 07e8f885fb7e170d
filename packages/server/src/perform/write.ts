/**
 * Replace, update, delete. The record is read and judged inside the transaction that changes it: a record that is not visible is not found,
 * one that is visible but not allowed is forbidden, and nobody can change it between the judgement and the write.
 */

import type { ActOperation, ChangeOperation, DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import type { Writing } from '../record/records.ts'
import { all } from '../resource/condition.ts'
import type { Row } from '../storage/storage.ts'
import { afterSecretChange, checkCredentials, hashSecrets } from './credential-writes.ts'
import { conclude, type Engine } from './engine.ts'
import { notFound, whereOf } from './find.ts'
import { complete } from './read.ts'
import { withVirtualFields } from './related.ts'
import type { NoResult, RecordResult } from './result.ts'
import { checkFixed, checkGuarded, checkVersion, defaultContext, resolveDefaults } from './values.ts'

/** Locks and returns the record to write. Throws `not-found`, `forbidden`, `precondition-failed`. */
export async function lockForWrite(
  writing: Writing,
  permitted: Permitted<ChangeOperation | DeleteOperation | ActOperation>,
  toDelete = false,
): Promise<Row> {
  const { operation, read, write, refusal } = permitted
  const where = all(await whereOf(writing, permitted), read)
  const found = await writing.lock(operation.resource, where, {
    test: write.kind === 'true' ? undefined : write,
    toDelete,
  })
  if (!found) throw notFound(operation.resource, operation.kind)
  if (!found.passes) throw refusal()
  checkVersion(found.row, operation)
  return found.row
}

export async function performChange(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  checkCredentials(engine, permitted, sent)
  await hashSecrets(engine, { resource, values: sent })
  return engine.records.transaction(authorOf(permitted.principal), async (writing) => {
    const before = await lockForWrite(writing, permitted)
    if (body.fixed.size > 0) {
      const loading = { engine, reader: writing, principal: permitted.principal }
      const [shown] = await withVirtualFields(loading, { resource, rows: [before], names: null })
      checkFixed(resource, body, shown as Row)
    }
    const values = { ...sent }
    checkGuarded(permitted, values, before)
    const row = await writing.change(resource, before, values)
    await afterSecretChange(engine, permitted, { writing, row, sent })
    const [completed] = await complete({ engine, reader: writing, permitted }, resource, [row])
    return conclude(engine, writing, { kind: 'record', resource, record: completed as Row, created: false })
  })
}

/** What a client keeps of the record, and of the lists with it, is known by what is shown of it. */
export async function performDelete(
  engine: Engine,
  permitted: Permitted<DeleteOperation>,
): Promise<NoResult | RecordResult> {
  const { resource, shows } = permitted.operation
  return engine.records.transaction(authorOf(permitted.principal), async (writing) => {
    const row = await lockForWrite(writing, permitted, true)
    const [record] = shows ? await complete({ engine, reader: writing, permitted }, resource, [row]) : []
    await writing.remove(resource, row)
    return conclude(engine, writing, record ? { kind: 'record', resource, record, created: false } : { kind: 'none' })
  })
}
