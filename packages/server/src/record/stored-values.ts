/**
 * Checks every stored value, whichever code wrote it: its field is declared, the field allows it,
 * and a reference names an existing record.
 */

import { jsonText } from '../base/json-text.ts'
import { collectProblems } from '../operation/problem-collector.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, always, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError } from '../resource/fields/field.ts'
import { outlives } from '../resource/removal.ts'
import type { Values } from '../storage/storage.ts'
import { referableWhere, referencesAfter, refersToNone } from './references/referable.ts'
import { tenantBounds } from './references/tenant-bounds.ts'
import type { RecordsBeingRemoved, ReferenceContext } from './write-context.ts'

/**
 * Throws an `Error` for a name that is not a stored field, or that the engine counts. It is a bug
 * in the writing code, not a fault of the request.
 */
export function checkNames(resource: Resource, values: Values): void {
  for (const name of Object.keys(values)) {
    if (!resource.storedNames.includes(name)) throw new Error(`${resource.name} has no stored field ${name}`)
    if (resource.countedNames.includes(name)) throw new Error(`${resource.name}.${name} is counted by the engine`)
  }
}

/** Throws `bad-request` naming the field. */
export function checkValues(resource: Resource, values: Values): void {
  for (const name of Object.keys(values)) checkValue(resource, name, values[name])
}

function checkValue(resource: Resource, name: string, value: unknown): void {
  const field = resource.fields[name] as Field
  if (value !== null && value !== undefined) field.type.checkStored(value, name, field)
  else if (!field.nullable && name !== resource.idField) throw fieldError(name, 'is required')
}

/**
 * The same for a whole record. Ids, times and defaults that the engine has just set are right as
 * they are.
 */
export function checkDraft(resource: Resource, draft: Values, sent: Values): void {
  for (const name of resource.storedNames) {
    const value = draft[name]
    const isOwn = sent[name] === undefined && value !== null && resource.onWrite.length === 0
    // It is counted, or placed, when the record is stored.
    const isLater = resource.numberedNames.includes(name) || name === resource.placed?.name
    const isCounted = value === null && isLater
    if (!isOwn && !isCounted) checkValue(resource, name, value)
  }
}

/**
 * Computes the stored values that follow from others (`onWrite` and computed fields). Throws an
 * `Error` that names the field where its function throws: it computes, and has no way to refuse.
 */
export function applyOnWrite(resource: Resource, draft: Record<string, unknown>): void {
  for (const [name, by] of resource.onWrite) {
    try {
      draft[name] = by(draft)
    } catch (cause) {
      const at = `${resource.writtenIn}: ${resource.name}: field "${name}"`
      const advice = 'a value is refused by the options of its field, or by an action'
      const by = resource.computedNames.includes(name) ? 'computed' : 'onWrite'
      throw new Error(`${at}: ${by} must give a value for every record, and threw ${cause}; ${advice}`, { cause })
    }
  }
}

/** Computed fields once more, where a value of the record has been settled since. */
export function applyComputed(resource: Resource, draft: Record<string, unknown>): void {
  if (resource.computedNames.length === 0) return
  for (const [name, by] of resource.onWrite) if (resource.computedNames.includes(name)) draft[name] = by(draft)
}

/** The key of an existing record in `WriteContext.seen`. */
export function existsKey(resource: Resource, id: unknown): string {
  return `${resource.name} ${id}`
}

type ReferringRow = {
  readonly resource: Resource
  /** The final values of the record. */
  readonly row: Values
  /** The fields that differ, or that are set once more; absent for a new record. */
  readonly changed?: readonly string[]
  readonly going?: RecordsBeingRemoved | undefined
}

type ReferredRecord = {
  readonly target: Resource
  readonly id: Scalar
  readonly where: Condition
  /** Those of its tenant; undefined where every record will do. */
  readonly bounds: Condition | undefined
  readonly field: Field
}

/** Whether no foreign key keeps the record there until the reference is cleared. */
function isUnbound({ reference }: Field, target: Resource): boolean {
  return reference !== undefined && reference.onDelete !== 'keep' && outlives(reference, target)
}

/**
 * Whether the record is there and satisfies the condition. Where there is a condition, no other
 * transaction changes the record until this one ends.
 */
async function isReferable(
  { transaction }: ReferenceContext,
  { target, id, where, bounds, field }: ReferredRecord,
): Promise<boolean> {
  const named = bounds ? all(equal(target.idField, id), bounds) : equal(target.idField, id)
  if (where.kind === 'true' && isUnbound(field, target))
    return (await transaction.lock(target, named, { toName: true })) !== undefined
  if (where.kind === 'true') return (await transaction.find(target, named)) !== undefined
  // A touch or a count changes the record next, so the lock is the one for that.
  const shared = !field.reference?.touch && target.countedNames.length === 0
  return (await transaction.lock(target, all(named, where), { shared })) !== undefined
}

/** The record itself shares all of its values. */
function sharedWhere(
  { resource, row }: ReferringRow,
  name: string,
  { target, id }: Pick<ReferredRecord, 'target' | 'id'>,
): Condition {
  const isItself = target === resource && id === row[resource.idField]
  return isItself ? always : referableWhere(resource, name, row)
}

/** A record that exists for one caller or tenant may not exist for another. */
function seenKey(target: Resource, id: Scalar, bounds: Condition | undefined): string {
  return bounds ? `${existsKey(target, id)} ${jsonText(bounds)}` : existsKey(target, id)
}

/**
 * Throws `bad-request` with the names of the fields whose records do not exist, or are not for this
 * record (`referableWhere`). Records that the transaction has seen are not looked up again.
 * `going`: records that are being removed, so that nothing may refer to them any more.
 */
export async function checkReferences(context: ReferenceContext, referring: ReferringRow): Promise<void> {
  const { resource, row, changed, going } = referring
  const { catalog, seen, assumed } = context
  const mistakes = collectProblems()
  for (const name of changed ? referencesAfter(resource, changed) : resource.storedNames) {
    const field = resource.fields[name] as Field
    const id = (row[name] ?? null) as Scalar | null
    if (!field.reference || id === null) continue
    const target = catalog.get(field.reference.resource)
    const bounding = tenantBounds(context, { resource, row, name, target })
    const bounds = bounding && (await bounding)
    const key = seenKey(target, id, bounds)
    const isGoing = going?.get(target)?.has(id) === true
    const where = sharedWhere(referring, name, { target, id })
    // The database finds out that the author has gone, but not where the record must not outlive
    // what it refers to.
    const isAssumed = key === assumed && field.reference.onDelete !== 'refuse'
    const isKnown = where.kind === 'true' && (seen.has(key) || isAssumed) && !isUnbound(field, target)
    if (!isGoing && isKnown) continue
    if (!isGoing && (await isReferable(context, { target, id, where, bounds, field }))) seen.add(key)
    else mistakes.add(refersToNone(name, target))
  }
  mistakes.end()
}
