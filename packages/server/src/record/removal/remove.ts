/**
 * Removes records and releases the records that refer to them. Depending on `onDelete`, these are
 * removed in turn, lose the reference, keep it, or refuse. Records with a trash move there. Rows
 * are read in batches before they are written, so each write has its row in the change log. Foreign
 * keys are only a safeguard.
 */
import { ApiError } from '../../errors.ts'
import type { ReferenceRelation, Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, matching, type Scalar } from '../../resource/condition.ts'
import { personalNames } from '../../resource/personal/personal-fields.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { changeRow, settleChange } from '../change.ts'
import { noteCounted } from '../counts/counted-fields.ts'
import { refuseRestricted } from '../references/restricted.ts'
import { checkMayWrite } from '../run-stages.ts'
import { existsKey } from '../stored-values.ts'
import { touchParents } from '../touch-parents.ts'
import type { RecordsBeingRemoved, RemovalOptions, RemovalRoot, WriteContext } from '../write-context.ts'
import {
  areLeaves,
  clearsPlainly,
  countDependents,
  countLeaves,
  isDryRemoval,
  isGone,
  noteGone,
  withinDependents,
} from './dependents.ts'
import { emptiedValues, emptiedWhere, emptyCopies, noteEmptied } from './empty-personal.ts'
import { eachBatch } from './lock-batches.ts'
import { beginTrashing, joinGroups, moveToTrash, type TrashGroups, trashedResource } from './trash-rows.ts'

const clearing = Symbol('references that a dry removal has cleared')

/** The state that the steps of one removal share. */
type RemovalContext = {
  readonly context: WriteContext
  readonly going: RecordsBeingRemoved
  readonly root: RemovalRoot
  /** Undefined where the records end for good. */
  readonly trashing: TrashGroups | undefined
  /** No value about the removed records stays. */
  readonly erases: boolean
}

const nothing: RecordsBeingRemoved = new Map()

function isIn(field: string, values: readonly unknown[]): Condition {
  return { kind: 'in', field, values: values as Scalar[] }
}

/**
 * The cleared references of a record: this one, and the others that the removal is to clear. So
 * they are one change, and a hook sees the final state.
 */
function clearedTogether(
  { going, erases }: Pick<RemovalContext, 'going' | 'erases'>,
  { resource, field }: ReferenceRelation,
  row: Row,
): Values {
  const cleared = new Set([field])
  for (const [target, ids] of going)
    for (const other of target.referencedBy)
      if (other.resource === resource && other.options.onDelete === 'clear' && ids.has(row[other.field]))
        cleared.add(other.field)
  const names = erases ? [...cleared].flatMap((name) => [name, ...personalNames(resource, name)]) : [...cleared]
  return Object.fromEntries(names.map((name) => [name, null]))
}

/**
 * A dry removal leaves the references, so it finds a record again by each that it has cleared with
 * another one.
 */
const clearedDry = ({ tx }: WriteContext) => tx.remembered(clearing, () => new Set<string>())
const clearedKey = (resource: Resource, row: Row, name: string) =>
  `${existsKey(resource, row[resource.idField])} ${name}`

async function clearOne(
  { context, going, erases }: Pick<RemovalContext, 'context' | 'going' | 'erases'>,
  link: ReferenceRelation,
  row: Row,
) {
  const { resource, field } = link
  const { idField } = resource
  // A hook of another record may have written to this one.
  const where = all(equal(idField, row[idField] as Scalar), equal(field, row[field] as Scalar))
  const found = await context.transaction.lock(resource, where)
  if (!found) return
  const changes = clearedTogether({ going, erases }, link, found.row)
  if (erases && personalNames(resource, field).length > 0) noteEmptied(context, resource, found.row)
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
async function clear(removal: RemovalContext, link: ReferenceRelation, rows: readonly Row[]): Promise<void> {
  const { context, going, erases } = removal
  const { resource, field } = link
  const { idField } = resource
  if (!clearsPlainly(context, link) || (erases && personalNames(resource, field).length > 0)) {
    for (const row of rows) await clearOne(removal, link, row)
    return
  }
  if (rows.length > 0) checkMayWrite(context, resource, 'update')
  if (isDryRemoval(context)) return
  const ids = rows.map((row) => row[idField] as Scalar)
  await context.transaction.updateAll(resource, ids, { [field]: null })
  noteCounted(
    context,
    resource,
    rows.map((before) => ({ before, after: { ...before, [field]: null } })),
  )
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

/** Removed records, by their ids. */
type RemovedRecords = { readonly of: Resource; readonly ids: readonly unknown[] }

/** Records in the trash that would need the removed ones to come back end with them. */
async function endTrashed(removal: RemovalContext, link: ReferenceRelation, where: Condition): Promise<void> {
  const { trash } = link.resource
  if (!trash || isDryRemoval(removal.context)) return
  await eachBatch(removal.context, { resource: trash.resource, where }, (rows) =>
    removeRows(removal, trash.resource, rows),
  )
}

/** Records that keep the reference lose the values about the erased ones. */
async function emptyKept({ context, going }: RemovalContext, link: ReferenceRelation, ids: readonly unknown[]) {
  const { resource, field } = link
  const changes = emptiedValues(resource, field)
  await eachBatch(context, { resource, where: emptiedWhere(link, ids, changes) }, async (rows) => {
    for (const before of rows) {
      noteEmptied(context, resource, before)
      await refusingAsConflict(
        async () => void (await changeRow(context, { resource, before, changes, clearing: going })),
      )
    }
  })
}

/** Removes the records that refer to removed ones, or clears their references. */
async function release(removal: RemovalContext, link: ReferenceRelation, { of, ids }: RemovedRecords): Promise<void> {
  const { context, going, trashing, erases } = removal
  const { resource: from, field, options } = link
  if (erases && personalNames(from, field).length > 0) {
    await emptyCopies(context, link, ids)
    if (options.onDelete === 'keep') await emptyKept(removal, link, ids)
  }
  if (options.onDelete === 'keep' || options.onDelete === 'refuse') return
  // A reference stays while the record that it names can come back.
  const isKept = trashing !== undefined && of.trash !== undefined
  if (isKept && options.onDelete === 'clear') return
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
      if (trashing) joinGroups(trashing, link, { of, rows: left })
      await removeRows(removal, from, left)
    })
    if (!trashing) await endTrashed(removal, link, where)
  }
  if (options.onDelete === 'delete' || isKept) return
  await eachBatch(context, { resource: from, where: refers }, async (rows, isBeginning) => {
    const left = rows.filter(isLeft)
    await countDependents(context, { resource: from, where: refers, rows: left, isBeginning })
    await refusingAsConflict(() => clear(removal, link, left))
  })
}

async function removeRows(removal: RemovalContext, resource: Resource, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const { context, going, root, trashing } = removal
  checkMayWrite(context, resource, 'delete')
  await refuseRestricted(context, root, { of: resource, rows })
  const toTrash = trashing !== undefined && resource.trash !== undefined
  for (const before of context.stagesOf(resource).beforeDelete)
    await before({ tx: context.tx, resource, rows, going, toTrash })
  const ids = rows.map((row) => row[resource.idField])
  const of = trashedResource(context, resource) ?? resource
  const now = new Map(going).set(of, new Set([...(going.get(of) ?? []), ...ids]))
  for (const link of of.referencedBy) await release({ ...removal, going: now }, link, { of, ids })
  if (isDryRemoval(context)) return noteGone(context, resource, ids)
  if (trashing) await moveToTrash(context, trashing, { of, rows })
  await context.transaction.deleteAll(resource, rows)
  for (const id of ids) context.seen.delete(existsKey(resource, id))
  noteCounted(
    context,
    resource,
    rows.map((before) => ({ before })),
  )
  await touchParents(context, { resource, rows, going: now })
}

type AskedRemoval = RemovalOptions & { readonly resource: Resource; readonly rows: readonly Row[] }

function removeAsked(context: WriteContext, { resource, rows, forGood, erases = false }: AskedRemoval): Promise<void> {
  const root = { resource, ids: rows.map((row) => row[resource.idField]) }
  const trashing = forGood || erases ? undefined : beginTrashing(context, resource, rows)
  return removeRows({ context, going: nothing, root, trashing, erases }, resource, rows)
}

export function removeRow(
  context: WriteContext,
  resource: Resource,
  { row, ...options }: RemovalOptions & { readonly row: Row },
): Promise<void> {
  const asked = { resource, rows: [row], ...options }
  return withinDependents(resource, row[resource.idField], () => removeAsked(context, asked))
}

export async function removeWhere(context: WriteContext, resource: Resource, where: Condition): Promise<number> {
  let count = 0
  await eachBatch(context, { resource, where }, async (rows) => {
    count += rows.length
    await withinDependents(resource, undefined, () => removeAsked(context, { resource, rows }))
  })
  return count
}
