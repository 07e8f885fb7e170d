/**
 * Brings records back from the trash, under today's fields, checks, references and keys. The record
 * comes with those that went with it, all or none; links to records in the trash wait for them.
 * Hooks do not run, so they come back as they were.
 */
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { givenPlace } from '../../resource/fields/places/place-change.ts'
import { trashFields } from '../../resource/made/declared-trash.ts'
import { cascadeTargets, outlives } from '../../resource/removal.ts'
import type { Row } from '../../storage/storage.ts'
import { countedAnew, noteCounted, noteRecount } from '../counts/counted-fields.ts'
import { initialValue } from '../initial-value.ts'
import { placeKey } from '../places/place-records.ts'
import { checkBranch } from '../references/check-branch.ts'
import { settleTenant } from '../references/tenant-of-record.ts'
import { applyOnWrite, checkReferences, checkValues, existsKey } from '../stored-values.ts'
import { touchParents } from '../touch-parents.ts'
import type { WriteContext } from '../write-context.ts'
import { batchRows, eachBatch } from './lock-batches.ts'
import { trashedResource } from './trash-rows.ts'
import { leaveWaiting, type TrashedRow, type TrashedRows } from './waiting-links.ts'

/** The word for write steps. */
export const restoreReason = 'restore'

const keyOf = ({ resource, row }: TrashedRow) => existsKey(resource, row[resource.idField])

/** The rows of the group, by their keys. */
async function membersOf(context: WriteContext, resource: Resource, row: Row): Promise<TrashedRows> {
  const where = equal(trashFields.group, row[trashFields.group] as Scalar)
  const members = new Map<string, TrashedRow>()
  for (const one of cascadeTargets(resource)) {
    if (!one.trash) continue
    await eachBatch(context, { resource: one.trash.resource, where }, async (rows) => {
      for (const found of rows) members.set(keyOf({ resource: one, row: found }), { resource: one, row: found })
    })
  }
  return members
}

/** The other members that must be stored before this one, as foreign keys demand. */
function neededBy({ catalog }: WriteContext, { resource, row }: TrashedRow, members: TrashedRows): string[] {
  const own = keyOf({ resource, row })
  return resource.storedNames.flatMap((name) => {
    const reference = resource.fields[name]?.reference
    if (!reference) return []
    const target = catalog.get(reference.resource)
    const key = existsKey(target, row[name])
    return outlives(reference, target) || key === own || !members.has(key) ? [] : [key]
  })
}

/** TrashedRows in an order in which each refers to earlier ones alone. A circle comes at once. */
function wavesOf(context: WriteContext, members: TrashedRows): TrashedRow[][] {
  const left = new Map([...members].map(([key, one]) => [key, new Set(neededBy(context, one, members))]))
  const dependents = new Map<string, string[]>()
  for (const [key, needed] of left) for (const one of needed) dependents.set(one, [...(dependents.get(one) ?? []), key])
  const waves: TrashedRow[][] = []
  let ready = [...left].filter(([, needed]) => needed.size === 0).map(([key]) => key)
  while (left.size > 0) {
    const wave = ready.length > 0 ? ready : [...left.keys()]
    waves.push(wave.map((key) => members.get(key) as TrashedRow))
    for (const key of wave) left.delete(key)
    ready = []
    for (const key of wave)
      for (const next of dependents.get(key) ?? []) {
        const needed = left.get(next)
        needed?.delete(key)
        if (needed?.size === 0) ready.push(next)
      }
  }
  return waves
}

/**
 * Decides about a reference that may outlive its record: it is checked, stays as it is, or is
 * cleared, since the other record ended.
 */
async function looseReference(
  { catalog, transaction }: WriteContext,
  { resource, row }: TrashedRow,
  name: string,
): Promise<'check' | 'stay' | 'clear'> {
  const reference = resource.fields[name]?.reference
  const id = (row[name] ?? null) as Scalar | null
  if (!reference || id === null) return 'stay'
  if (reference.onDelete === 'keep') return 'stay'
  const target = catalog.get(reference.resource)
  if (reference.onDelete === 'delete' || reference.onDelete === 'refuse') return 'check'
  if (await transaction.find(target, equal(target.idField, id))) return 'check'
  const trash = target.trash?.resource
  return trash && (await transaction.find(trash, equal(trash.idField, id))) ? 'stay' : 'clear'
}

/** The values to store. Throws `conflict`. */
async function restoredValues(context: WriteContext, member: TrashedRow): Promise<Row> {
  const { resource, row } = member
  const values: { version: number; [field: string]: unknown } = { version: row.version + 1 }
  for (const name of resource.storedNames) values[name] = row[name] ?? null
  for (const name of resource.countedNames) values[name] = initialValue(context, resource.fields[name] as Field)
  const checked: string[] = []
  for (const name of resource.storedNames) {
    const end = await looseReference(context, member, name)
    if (end === 'check') checked.push(name)
    if (end === 'clear') values[name] = null
  }
  applyOnWrite(resource, values)
  if (resource.scope) await settleTenant(context, resource, values)
  await checkReferences(context, { resource, row: values, changed: checked })
  if (resource.tree) await checkBranch(context, { resource, row: values })
  const { version: _, ...stored } = values
  checkValues(resource, stored)
  for (const settled of context.stagesOf(resource).settled)
    await settled({ tx: context.tx, resource, before: undefined, row: stored })
  return values
}

/** No request sends these values, so what is wrong with them is no fault of its form. */
async function asConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'bad-request') throw error
    throw cannotComeBack(error)
  }
}

function cannotComeBack(error: ApiError, mistakes?: ApiError['mistakes']): ApiError {
  return new ApiError('conflict', `It cannot come back: ${error.message}`, {
    cause: error,
    ...(mistakes && { mistakes }),
  })
}

/** Another record may have a unique value of theirs by now. Throws `conflict`. */
async function insertBack({ transaction }: WriteContext, resource: Resource, rows: Row[]): Promise<void> {
  try {
    await transaction.insertAll(resource, rows)
  } catch (error) {
    throw error instanceof ApiError && error.code === 'conflict' ? cannotComeBack(error, error.mistakes) : error
  }
}

/** Each at its former place, or right behind it where another record has that now. */
async function insertPlaced(context: WriteContext, resource: Resource, rows: Row[]): Promise<void> {
  const name = resource.placed?.name as string
  for (const [i, row] of rows.entries()) {
    const key = await placeKey(context, { resource, row, place: givenPlace(row[name], name) })
    rows[i] = { ...row, [name]: key }
    await insertBack(context, resource, [rows[i]])
  }
}

async function store(
  context: WriteContext,
  resource: Resource,
  members: readonly TrashedRow[],
): Promise<readonly Row[]> {
  const all: Row[] = []
  for (const member of members) context.seen.add(keyOf(member)) // they are stored now, or none is
  for (const member of members) all.push(await asConflict(() => restoredValues(context, member)))
  if (resource.placed) await insertPlaced(context, resource, all)
  else await insertBack(context, resource, all)
  noteCounted(
    context,
    resource,
    all.map((after) => ({ after })),
  )
  noteRecount(context, resource, all)
  return all
}

export async function restoreRow(context: WriteContext, trash: Resource, row: Row): Promise<Row> {
  const resource = trashedResource(context, trash) as Resource
  const members = await leaveWaiting(context, await membersOf(context, resource, row))
  const stored: { readonly resource: Resource; readonly rows: readonly Row[] }[] = []
  for (const wave of wavesOf(context, members))
    for (const [one, group] of Map.groupBy(wave, (member) => member.resource))
      stored.push({ resource: one, rows: await store(context, one, group) })
  for (const [one, group] of Map.groupBy(members.values(), (member) => member.resource))
    for (let at = 0; at < group.length; at += batchRows)
      await context.transaction.deleteAll(
        one.trash?.resource as Resource,
        group.slice(at, at + batchRows).map((member) => member.row),
      )
  const back = new Map(
    [...Map.groupBy(stored, (one) => one.resource)].map(([one, parts]) => [
      one,
      new Set(parts.flatMap(({ rows }) => rows.map((each) => each[one.idField]))),
    ]),
  )
  for (const { resource: one, rows } of stored) {
    await touchParents(context, { resource: one, rows, going: back })
    for (const after of context.stagesOf(one).afterCreate)
      await after({ tx: context.tx, resource: one, rows, reason: restoreReason })
  }
  const id = row[resource.idField]
  const root = stored
    .flatMap(({ resource: one, rows }) => (one === resource ? rows : []))
    .find((one) => one[resource.idField] === id) as Row
  // The counts are stored at the commit; the answer shows them already.
  return { ...root, ...(await countedAnew(context, resource, root)) }
}
