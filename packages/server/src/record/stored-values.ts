/**
 * Checks every stored value, whichever code wrote it: its field is declared, the field allows it,
 * and a reference names an existing record.
 */
import { collectProblems } from '../operation/problem-collector.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError } from '../resource/fields/field.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Values } from '../storage/storage.ts'
import type { RecordsBeingRemoved, WriteContext } from './write-context.ts'

/**
 * Throws an `Error` for a name that is not a stored field: a bug in the writing code, not a fault
 * of the request.
 */
export function checkNames(resource: Resource, values: Values): void {
  for (const name of Object.keys(values)) {
    if (!resource.storedNames.includes(name)) throw new Error(`${resource.name} has no stored field ${name}`)
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
    if (!isOwn) checkValue(resource, name, value)
  }
}

/**
 * Computes the stored values that follow from others (`onWrite` in the declaration). Throws an
 * `Error` that names the field where its function throws: it computes, and has no way to refuse.
 */
export function applyOnWrite(resource: Resource, draft: Record<string, unknown>): void {
  for (const [name, by] of resource.onWrite) {
    try {
      draft[name] = by(draft)
    } catch (cause) {
      const at = `${resource.writtenIn}: ${resource.name}: field "${name}"`
      const advice = 'a value is refused by the options of its field, or by an action'
      throw new Error(`${at}: onWrite must give a value for every record, and threw ${cause}; ${advice}`, { cause })
    }
  }
}

/** The key of an existing record in `WriteContext.seen`. */
export function existsKey(resource: Resource, id: unknown): string {
  return `${resource.name} ${id}`
}

type Referring = {
  readonly resource: Resource
  readonly values: Values
  readonly going?: RecordsBeingRemoved | undefined
}

/**
 * Throws `bad-request` with the names of the fields whose records do not exist. Records that the
 * transaction has seen are not looked up again. `going`: records that are being removed, so that
 * nothing may refer to them any more.
 */
export async function checkReferences(context: WriteContext, { resource, values, going }: Referring): Promise<void> {
  const { catalog, transaction, seen, assumed } = context
  const mistakes = collectProblems()
  for (const [name, value] of Object.entries(values)) {
    const reference = resource.fields[name]?.reference
    if (!reference || value === null || value === undefined) continue
    const target = catalog.get(reference.resource)
    const key = existsKey(target, value)
    const isGoing = going?.get(target)?.has(value) === true
    // The database finds out that the author has gone, but not where the record must not outlive
    // what it refers to.
    if (!isGoing && (seen.has(key) || (key === assumed && reference.onDelete !== 'refuse'))) continue
    const found = !isGoing && (await transaction.find(target, equal(target.idField, value as Scalar)))
    if (found) seen.add(key)
    else mistakes.add(fieldError(name, `refers to no ${inSentence(target.label)} that exists`))
  }
  mistakes.end()
}
