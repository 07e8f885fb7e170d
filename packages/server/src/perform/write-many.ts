/**
 * Changes or deletes every record that a filter finds, in one transaction. Each record is locked
 * and judged by the rule, and written with all steps, as if it came alone. The search runs before
 * the transaction, so a long search does not hold up other writes.
 */
import { ApiError } from '../errors.ts'
import type { BulkTarget, ChangeOperation, DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Row } from '../storage/storage.ts'
import { checkChangedFields } from './changed-fields.ts'
import type { Engine } from './engine.ts'
import { makeYieldWhenLong } from './imports/yield-when-long.ts'
import { hideUnreadable } from './read/hide-fields.ts'
import { type GivePrepared, givesNothing, makeRequestStageRunner, type RequestStageRunner } from './request-stages.ts'
import type { ManyResult } from './result.ts'
import { checkFixed, type DraftValues, defaultContext, resolveDefaults } from './values.ts'
import { writePermitted } from './write-transaction.ts'

type PermittedMany = Permitted<ChangeOperation | DeleteOperation>

/** The ids of the records. Throws `conflict` when there are more than the limit. */
async function findIds(engine: Engine, { operation, read }: PermittedMany, many: BulkTarget): Promise<Scalar[]> {
  const { resource } = operation
  const where = all(read, many.where)
  const sort = [{ field: resource.idField, descending: false }]
  const rows = await engine.storage.list(resource, { where, sort, limit: many.limit + 1 })
  if (rows.length > many.limit) {
    const count = await engine.storage.count(resource, where)
    throw new ApiError('conflict', `${count} ${resource.plural} match, and limit is ${many.limit}: nothing was changed`)
  }
  return rows.map((row) => row[resource.idField] as Scalar)
}

/**
 * The values of an update; undefined for a delete. Values that are sent for many are worked on
 * once.
 */
async function sentOf(
  engine: Engine,
  permitted: PermittedMany,
  stages: RequestStageRunner,
): Promise<DraftValues | undefined> {
  const { operation } = permitted
  if (operation.kind === 'delete') return undefined
  const sent = resolveDefaults(operation.resource, operation.body, defaultContext(engine, permitted))
  await stages.check(sent)
  await stages.work({ values: sent })
  return sent
}

type BulkWriteRow = {
  readonly row: Row
  readonly sent: DraftValues | undefined
  readonly stages: RequestStageRunner
  readonly give: GivePrepared
}

/** Hooks of one request that run at once. */
const preparedAtOnce = 10

/** Prepares the writes of all records, as far as the caller may write them. */
async function prepareAll(
  engine: Engine,
  permitted: PermittedMany,
  { ids, sent, stages, many }: Pick<BulkWriteRow, 'sent' | 'stages'> & { ids: readonly Scalar[]; many: BulkTarget },
): Promise<ReadonlyMap<Scalar, GivePrepared>> {
  const given = new Map<Scalar, GivePrepared>()
  if (!stages.prepares) return given
  const { operation, read, write, refusal } = permitted
  const { resource } = operation
  const prepareOne = async (id: Scalar) => {
    const where = all(equal(resource.idField, id), read, many.where)
    const found = await engine.storage.find(resource, where, write.kind === 'true' ? undefined : write)
    if (!found) return
    if (!found.passes) throw refusal()
    given.set(id, await stages.prepare({ ...sent }, found.row))
  }
  for (let at = 0; at < ids.length; at += preparedAtOnce)
    await Promise.all(ids.slice(at, at + preparedAtOnce).map(prepareOne))
  return given
}

async function writeOne(
  { engine, tx }: { readonly engine: Engine; readonly tx: RecordTransaction },
  permitted: PermittedMany,
  { row, sent, stages, give }: BulkWriteRow,
): Promise<void> {
  const { operation } = permitted
  const { resource } = operation
  if (operation.kind === 'delete') {
    await stages.mayRemove(row)
    await give(tx, row).remove(resource, row, { forGood: operation.forGood })
    return stages.removed(tx, row)
  }
  const { body } = operation
  if (body.fixed.size > 0) {
    const shown = { resource, rows: [row], names: [...body.fixed.keys()] }
    const [seen] = await hideUnreadable({ engine, reader: tx, principal: permitted.principal }, shown)
    checkFixed(resource, body, seen as Row)
  }
  const values = { ...sent }
  await checkChangedFields({ engine, reader: tx }, permitted, { before: row, values, omitted: body.omitted })
  await stages.check(values, row)
  await stages.locked(tx, row, values)
  await give(tx, row).change(resource, row, values)
}

export async function performMany(engine: Engine, permitted: PermittedMany, many: BulkTarget): Promise<ManyResult> {
  const { operation, read, write, refusal } = permitted
  const { resource, kind } = operation
  const stages = makeRequestStageRunner(engine, permitted)
  const sent = await sentOf(engine, permitted, stages)
  const ids = await findIds(engine, permitted, many)
  const given = await prepareAll(engine, permitted, { ids, sent, stages, many })
  const yieldWhenLong = makeYieldWhenLong()
  return writePermitted(engine, permitted, async (tx) => {
    await stages.begin(tx)
    let count = 0
    for (const id of ids) {
      await yieldWhenLong()
      const where = all(equal(resource.idField, id), read, many.where)
      const test = write.kind === 'true' ? undefined : write
      const found = await tx.lock(resource, where, { test, toDelete: kind === 'delete' })
      if (!found) continue // it went with another one, or matches no more
      if (!found.passes) throw refusal()
      await writeOne({ engine, tx }, permitted, { row: found.row, sent, stages, give: given.get(id) ?? givesNothing })
      count += 1
    }
    return { kind: 'many', verb: kind === 'delete' ? 'deleted' : 'updated', count }
  })
}
