/**
 * Replace, update and delete. The transaction that changes a record also reads, locks and judges
 * it, so no other write comes in between. A record that the caller may not see is not found; one
 * that the caller may see but not write is forbidden.
 */
import { notFound } from '../operation/not-found.ts'
import type { ActOperation, ChangeOperation, DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { all } from '../resource/condition.ts'
import type { FoundRow, Reader, Row } from '../storage/storage.ts'
import { checkChangedFields } from './changed-fields.ts'
import type { Engine } from './engine.ts'
import { whereOf } from './read/find.ts'
import { completeRecords } from './read/read.ts'
import { withVirtualFields } from './read/related.ts'
import { checkShown } from './read/shown-version.ts'
import { givesNothing, makeRequestStageRunner, type RequestStageRunner } from './request-stages.ts'
import type { NoResult, RecordResult } from './result.ts'
import { makeSingles } from './single.ts'
import { checkFixed, checkSameParent, type DraftValues, defaultContext, resolveDefaults } from './values.ts'
import { writePermitted } from './write-transaction.ts'

type JudgeContext = { readonly engine: Engine; readonly reader: Reader }
type WriteOperation = ChangeOperation | DeleteOperation | ActOperation

/**
 * The record that was found, when the caller may write it. Throws `not-found`, `forbidden`,
 * `precondition-failed`.
 */
async function judgeFound(
  judging: JudgeContext,
  permitted: Permitted<WriteOperation>,
  found: FoundRow | undefined,
): Promise<Row> {
  const { operation, refusal } = permitted
  if (!found) throw notFound(operation.resource, operation.kind)
  if (!found.passes) throw refusal()
  await checkShown(judging, permitted, found.row)
  return found.row
}

type WriteActContext = { readonly engine: Engine; readonly tx: RecordTransaction }

/**
 * Locks and returns the record to write. Throws `not-found`, `forbidden`, `precondition-failed`.
 */
export async function lockForWrite(
  { engine, tx }: WriteActContext,
  permitted: Permitted<WriteOperation>,
  toDelete = false,
): Promise<Row> {
  const { operation, read, write } = permitted
  const where = all(await whereOf(tx, permitted), read)
  const test = write.kind === 'true' ? undefined : write
  const found = await tx.lock(operation.resource, where, { test, toDelete })
  return judgeFound({ engine, reader: tx }, permitted, found)
}

type ChangeInput = {
  readonly reader: Reader
  readonly before: Row
  readonly sent: DraftValues
  readonly stages: RequestStageRunner
}

/** The values to store, when all that was sent may be written to the record as it is. */
async function checkChange(
  engine: Engine,
  permitted: Permitted<ChangeOperation>,
  { reader, before, sent, stages }: ChangeInput,
): Promise<DraftValues> {
  const { resource, body } = permitted.operation
  if (body.fixed.size > 0) {
    const loading = { engine, reader, principal: permitted.principal }
    const [shown] = await withVirtualFields(loading, { resource, rows: [before], names: null })
    checkFixed(resource, body, shown as Row)
  }
  const { under } = permitted.operation
  if (under) checkSameParent(sent, under.by, before[under.by])
  const values = { ...sent }
  await checkChangedFields({ engine, reader }, permitted, { before, values, omitted: body.omitted })
  await stages.check(values, before)
  return values
}

/** The record to write, before the transaction that judges it again. Throws the same. */
export async function judgeBeforeTransaction(engine: Engine, permitted: Permitted<WriteOperation>): Promise<Row> {
  const { operation, read, write } = permitted
  const { storage: reader } = engine
  const where = all(await whereOf(reader, permitted), read)
  const test = write.kind === 'true' ? undefined : write
  const found = await reader.find(operation.resource, where, test)
  return judgeFound({ engine, reader }, permitted, found)
}

export async function performChange(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  if (permitted.operation.id === undefined) await makeSingles(engine, permitted)
  const stages = makeRequestStageRunner(engine, permitted)
  let give = givesNothing
  const isCostly = stages.isCostly(sent)
  if (isCostly || stages.prepares) {
    // Judged before any work, so that a refusal costs nothing and takes as long with a secret as
    // without.
    const before = await judgeBeforeTransaction(engine, permitted)
    const values = await checkChange(engine, permitted, { reader: engine.storage, before, sent, stages })
    if (isCostly) await stages.prove(before, sent)
    give = await stages.prepare(values, before)
  }
  await stages.work({ values: sent })
  return writePermitted(engine, permitted, async (tx) => {
    await stages.begin(tx)
    const before = await lockForWrite({ engine, tx }, permitted)
    const values = await checkChange(engine, permitted, { reader: tx, before, sent, stages })
    await stages.locked(tx, before, values)
    const row = await give(tx, before).change(resource, before, values)
    const [completed] = await completeRecords({ engine, reader: tx, permitted }, resource, [row])
    return { kind: 'record', resource, record: completed as Row, created: false }
  })
}

/**
 * Deletes a record. Where the response shows the record as it was, a client finds by it which
 * cached copies and lists to drop.
 */
export async function performDelete(
  engine: Engine,
  permitted: Permitted<DeleteOperation>,
): Promise<NoResult | RecordResult> {
  const { resource, shows, forGood } = permitted.operation
  if (permitted.operation.id === undefined) await makeSingles(engine, permitted)
  const stages = makeRequestStageRunner(engine, permitted)
  const isCostly = stages.isCostly({})
  const judged = isCostly || stages.prepares ? await judgeBeforeTransaction(engine, permitted) : undefined
  const before = isCostly ? judged : undefined
  if (before) await stages.prove(before, {})
  const give = judged ? await stages.prepare({}, judged) : givesNothing
  return writePermitted(engine, permitted, async (tx) => {
    await stages.begin(tx, before)
    const row = await lockForWrite({ engine, tx }, permitted, true)
    await stages.mayRemove(row)
    const [record] = shows ? await completeRecords({ engine, reader: tx, permitted }, resource, [row]) : []
    await give(tx, row).remove(resource, row, { forGood })
    await stages.removed(tx, row)
    return record ? { kind: 'record', resource, record, created: false } : { kind: 'none' }
  })
}
