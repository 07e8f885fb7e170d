/**
 * Removes records and releases the records that refer to them. Depending on `onDelete`, these are
 * removed in turn, lose the reference, keep it, or refuse. Rows are read in batches before they are
 * written, so each write has its row in the change log. Foreign keys are only a safeguard.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { ReferenceRelation, Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, matching, type Scalar } from '../resource/condition.ts'
import type { Row, Values } from '../storage/storage.ts'
import { changeRow, settleChange } from './change.ts'
import {
  areLeaves,
  clearsPlainly,
  countDependents,
  countLeaves,
  isDryRemoval,
  isGone,
  type MatchingRecords,
  noteGone,
  withinDependents,
} from './dependents.ts'
import { refuseRestricted } from './references/restricted.ts'
import { checkMayWrite } from './run-stages.ts'
import { existsKey } from './stored-values.ts'
import { touchParents } from './touch-parents.ts'
import type { RecordsBeingRemoved, RemovalRoot, WriteContext } from './write-context.ts'

const batchRows = 500
const clearing = Symbol('references that a dry removal has cleared')

/** The state that the steps of one removal share. */
type RemovalContext = {
  readonly context: WriteContext
  readonly going: RecordsBeingRemoved
  readonly root: RemovalRoot
}

const nothing: RecordsBeingRemoved = new Map()

function isIn(field: string, values: readonly unknown[]): Condition {
  return { kind: 'in', field, values: values as Scalar[] }
}

/** Locks and returns the next rows that match, in the order of their ids. */
function lockBatch(
  { transaction }: WriteContext,
  { resource, where }: MatchingRecords,
  after: unknown,
): Promise<Row[]> {
  const sort = [{ field: resource.idField, descending: false }]
  const cursor = after === undefined ? null : { values: [after as Scalar] }
  return transaction.lockAll(resource, { where, sort, limit: batchRows, after: cursor }, { toDelete: true })
}

type RemovalWork = (rows: Row[], isBeginning: boolean) => Promise<void>

/**
 * Calls `work` with the matching rows, batch by batch; `isBeginning`: more may follow the first. A
 * row that `work` does not change is not passed twice. Other requests are served in between.
 */
async function eachBatch(context: WriteContext, matches: MatchingRecords, work: RemovalWork): Promise<void> {
  for (let after: unknown; ; ) {
    const rows = await lockBatch(context, matches, after)
    const isLast = rows.length < batchRows
    if (rows.length > 0) await work(rows, after === undefined && !isLast)
    if (isLast) return
    await nextTurn()
    after = rows.at(-1)?.[matches.resource.idField]
  }
}

/**
 * The cleared references of a record: this one, and the others that the removal is to clear. So
 * they are one change, and a hook sees the final state.
 */
function clearedTogether({ resource, field }: ReferenceRelation, going: RecordsBeingRemoved, row: Row): Values {
  const cleared: Record<string, null> = { [field]: null }
  for (const [target, ids] of going)
    for (const other of target.referencedBy)
      if (other.resource === resource && other.options.onDelete === 'clear' && ids.has(row[other.field]))
        cleared[other.field] = null
  return cleared
}

/**
 * A dry removal leaves the references, so it finds a record again by each that it has cleared with
 * another one.
 */
const clearedDry = ({ tx }: WriteContext) => tx.remembered(clearing, () => new Set<string>())
const clearedKey = (resource: Resource, row: Row, name: string) =>
  `${existsKey(resource, row[resource.idField])} ${name}`

async function clearOne({ context, going }: Omit<RemovalContext, 'root'>, link: ReferenceRelation, row: Row) {
  const { resource, field } = link
  const { idField } = resource
  // A hook of another record may have written to this one.
  const where = all(equal(idField, row[idField] as Scalar), equal(field, row[field] as Scalar))
  const found = await context.transaction.lock(resource, where)
  if (!found) return
  const changes = clearedTogether(link, going, found.row)
  const changing = { resource, before: found.row, changes, clearing: going }
  if (!isDryRemoval(context)) {
    await changeRow(context, changing)
    return
  }
  for (const name of Object.keys(changes)) clearedDry(context).add(clearedKey(resource, row, name))
  await settleChange(context, changing)
}

/**
 * Clears the reference: a change of each record that refers, with all steps of one. Where nothing
 * follows from it, no record is changed by itself. A removal that is only counted asks what
 * refuses.
 */
async function clear({ context, going }: RemovalContext, link: ReferenceRelation, rows: readonly Row[]): Promise<void> {
  const { resource, field } = link
  const { idField } = resource
  if (!clearsPlainly(context, link)) {
    for (const row of rows) await clearOne({ context, going }, link, row)
    return
  }
  if (rows.length > 0) checkMayWrite(context, resource, 'update')
  if (isDryRemoval(context)) return
  const ids = rows.map((row) => row[idField] as Scalar)
  await context.transaction.updateAll(resource, ids, { [field]: null })
  await touchParents(context, { resource, rows, going })
}

/** A refusal names no field of the request, which asked for the removal of another record. */
async function refusingAsConflict(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'bad-request') throw error
    throw new ApiError('conflict', error.message, { cause: error })
  }
}

/** Removes the records that refer to removed ones, or clears their references. */
async function release(removal: RemovalContext, link: ReferenceRelation, ids: readonly unknown[]): Promise<void> {
  const { context, going } = removal
  const { resource: from, field, options } = link
  if (options.onDelete === 'keep' || options.onDelete === 'refuse') return
  const refers = isIn(field, ids)
  if (isDryRemoval(context) && areLeaves(context, link)) return countLeaves(context, { resource: from, where: refers })
  const cleared = isDryRemoval(context) ? clearedDry(context) : undefined
  const isLeft = (row: Row) =>
    !going.get(from)?.has(row[from.idField]) &&
    !isGone(context, from, row) &&
    !cleared?.has(clearedKey(from, row, field))
  if (options.onDelete !== 'clear') {
    const where = options.onDelete === 'delete' ? refers : all(refers, matching(options.onDelete.deleteWhere))
    await eachBatch(context, { resource: from, where }, async (rows, isBeginning) => {
      const left = rows.filter(isLeft)
      await countDependents(context, { resource: from, where, rows: left, isBeginning })
      await removeRows(removal, from, left)
    })
  }
  if (options.onDelete === 'delete') return
  await eachBatch(context, { resource: from, where: refers }, async (rows, isBeginning) => {
    const left = rows.filter(isLeft)
    await countDependents(context, { resource: from, where: refers, rows: left, isBeginning })
    await refusingAsConflict(() => clear(removal, link, left))
  })
}

async function removeRows(
  { context, going, root }: RemovalContext,
  resource: Resource,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  checkMayWrite(context, resource, 'delete')
  await refuseRestricted(context, root, { of: resource, rows })
  for (const before of context.stagesOf(resource).beforeDelete) await before({ tx: context.tx, resource, rows, going })
  const ids = rows.map((row) => row[resource.idField])
  const now = new Map(going).set(resource, new Set([...(going.get(resource) ?? []), ...ids]))
  for (const link of resource.referencedBy) await release({ context, going: now, root }, link, ids)
  if (isDryRemoval(context)) return noteGone(context, resource, ids)
  await context.transaction.deleteAll(resource, rows)
  for (const id of ids) context.seen.delete(existsKey(resource, id))
  await touchParents(context, { resource, rows, going: now })
}

function removeAsked(context: WriteContext, resource: Resource, rows: readonly Row[]): Promise<void> {
  const root = { resource, ids: rows.map((row) => row[resource.idField]) }
  return removeRows({ context, going: nothing, root }, resource, rows)
}

export function removeRow(context: WriteContext, resource: Resource, row: Row): Promise<void> {
  return withinDependents(resource, row[resource.idField], () => removeAsked(context, resource, [row]))
}

export async function removeWhere(context: WriteContext, resource: Resource, where: Condition): Promise<number> {
  let count = 0
  await eachBatch(context, { resource, where }, async (rows) => {
    count += rows.length
    await withinDependents(resource, undefined, () => removeAsked(context, resource, rows))
  })
  return count
}
