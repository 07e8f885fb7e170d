/**
 * Removes records and releases those that refer to them: some are removed too, with everything that
 * refers to those in turn; others lose the reference, keep it, or refuse. Rows are read in batches
 * before they are written, so that each write has its row in the change log. The database's foreign
 * keys are only a safeguard.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { ReferenceLink, Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, matching, type Scalar } from '../resource/condition.ts'
import type { Row } from '../storage/storage.ts'
import { changeRow, settleChange } from './change.ts'
import {
  areLeaves,
  clearsPlainly,
  countDependents,
  countLeaves,
  isCounted,
  isGone,
  noteGone,
  withinDependents,
} from './dependents.ts'
import { refuseHeld } from './held.ts'
import { refuseWriting } from './run-stages.ts'
import { seenKey } from './stored-values.ts'
import { touchParents } from './touch.ts'
import type { Door, Going, Root } from './write-context.ts'

const batchRows = 500

/** What the steps of one removal share. */
type Removal = { readonly door: Door; readonly going: Going; readonly root: Root }
type Matching = { readonly resource: Resource; readonly where: Condition }

const nothing: Going = new Map()

function isIn(field: string, values: readonly unknown[]): Condition {
  return { kind: 'in', field, values: values as Scalar[] }
}

/** Locks and returns the next rows that match, in the order of their ids. */
function lockBatch({ transaction }: Door, { resource, where }: Matching, after: unknown): Promise<Row[]> {
  const sort = [{ field: resource.idField, descending: false }]
  const cursor = after === undefined ? null : { values: [after as Scalar] }
  return transaction.lockAll(resource, { where, sort, limit: batchRows, after: cursor }, { toDelete: true })
}

type Work = (rows: Row[], isBeginning: boolean) => Promise<void>

/**
 * Calls `work` with the matching rows, batch by batch; `isBeginning`: more may follow the first. A
 * row that `work` does not change is not passed twice. Other requests are served in between.
 */
async function eachBatch(door: Door, matches: Matching, work: Work): Promise<void> {
  for (let after: unknown; ; ) {
    const rows = await lockBatch(door, matches, after)
    const isLast = rows.length < batchRows
    if (rows.length > 0) await work(rows, after === undefined && !isLast)
    if (isLast) return
    await nextTurn()
    after = rows.at(-1)?.[matches.resource.idField]
  }
}

/**
 * Clears the reference: a change of each record that refers, with all steps of one. Where nothing
 * follows from it, no record is changed by itself. A removal that is only counted asks what refuses.
 */
async function clear({ door, going }: Removal, link: ReferenceLink, rows: readonly Row[]): Promise<void> {
  const { resource, field } = link
  const { idField } = resource
  const changes = { [field]: null }
  if (!clearsPlainly(door, link)) {
    for (const row of rows) {
      // A hook of one of them may have written to this one.
      const where = all(equal(idField, row[idField] as Scalar), equal(field, row[field] as Scalar))
      const found = await door.transaction.lock(resource, where)
      if (!found) continue
      const changing = { resource, before: found.row, changes, clearing: going }
      await (isCounted(door) ? settleChange(door, changing) : changeRow(door, changing))
    }
    return
  }
  if (rows.length > 0) refuseWriting(door, resource, 'update')
  if (isCounted(door)) return
  const ids = rows.map((row) => row[idField] as Scalar)
  await door.transaction.updateAll(resource, ids, changes)
  await touchParents(door, { resource, rows, going })
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
async function release(removal: Removal, link: ReferenceLink, ids: readonly unknown[]): Promise<void> {
  const { door, going } = removal
  const { resource: from, field, options } = link
  if (options.onDelete === 'keep' || options.onDelete === 'refuse') return
  const refers = isIn(field, ids)
  if (isCounted(door) && areLeaves(door, link)) return countLeaves(door, { resource: from, where: refers })
  const isLeft = (row: Row) => !going.get(from)?.has(row[from.idField]) && !isGone(door, from, row)
  if (options.onDelete !== 'clear') {
    const where = options.onDelete === 'delete' ? refers : all(refers, matching(options.onDelete.deleteWhere))
    await eachBatch(door, { resource: from, where }, async (rows, isBeginning) => {
      const left = rows.filter(isLeft)
      await countDependents(door, { resource: from, where, rows: left, isBeginning })
      await removeRows(removal, from, left)
    })
  }
  if (options.onDelete === 'delete') return
  await eachBatch(door, { resource: from, where: refers }, async (rows, isBeginning) => {
    const left = rows.filter(isLeft)
    await countDependents(door, { resource: from, where: refers, rows: left, isBeginning })
    await refusingAsConflict(() => clear(removal, link, left))
  })
}

async function removeRows({ door, going, root }: Removal, resource: Resource, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  refuseWriting(door, resource, 'delete')
  await refuseHeld(door, root, { of: resource, rows })
  for (const before of door.stagesOf(resource).beforeDelete)
    await before({ writing: door.writing, resource, rows, going })
  const ids = rows.map((row) => row[resource.idField])
  const now = new Map(going).set(resource, new Set([...(going.get(resource) ?? []), ...ids]))
  for (const link of resource.referencedBy) await release({ door, going: now, root }, link, ids)
  if (isCounted(door)) return noteGone(door, resource, ids)
  await door.transaction.deleteAll(resource, rows)
  for (const id of ids) door.seen.delete(seenKey(resource, id))
  await touchParents(door, { resource, rows, going: now })
}

function removeAsked(door: Door, resource: Resource, rows: readonly Row[]): Promise<void> {
  const root = { resource, ids: rows.map((row) => row[resource.idField]) }
  return removeRows({ door, going: nothing, root }, resource, rows)
}

export function removeRow(door: Door, resource: Resource, row: Row): Promise<void> {
  return withinDependents(resource, row[resource.idField], () => removeAsked(door, resource, [row]))
}

export async function removeWhere(door: Door, resource: Resource, where: Condition): Promise<number> {
  let count = 0
  await eachBatch(door, { resource, where }, async (rows) => {
    count += rows.length
    await withinDependents(resource, undefined, () => removeAsked(door, resource, rows))
  })
  return count
}
