/** From a checked body to the values that are stored: defaults, what the engine sets, what follows from the rest. */
import { ApiError } from '../errors.ts'
import { type Body, defaultOf, useDefault } from '../operation/body.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import { type DefaultContext, type Field, fieldError } from '../resource/fields/field.ts'
import { inSentence } from '../resource/names.ts'
import type { Reader, Row } from '../storage/storage.ts'
import { representRecord } from '../value/represent.ts'
import type { Engine } from './engine.ts'

export type Draft = Record<string, unknown>

export function defaultContext(engine: Engine, permitted: Permitted): DefaultContext {
  const { principal } = permitted
  return {
    now: new Date(engine.clock()).toISOString(),
    settings: engine.settings,
    role: principal.kind === 'user' ? principal.role : null,
  }
}

/** What stands in the field of a new record when nobody said. */
export function initialValue(field: Field, context: DefaultContext): unknown {
  if (field.setBy === 'create' || field.setBy === 'write') return context.now
  return defaultOf(field, context)
}

/** Every `useDefault` that the body stands for, resolved. */
export function resolveDefaults(resource: Resource, body: Body, context: DefaultContext): Draft {
  const values: Draft = {}
  for (const [name, value] of body.values) {
    const field = resource.fields[name] as Field
    values[name] = value === useDefault ? defaultOf(field, context) : value
  }
  return values
}

/** The stored values that follow from the others (`follow` of the declaration). */
export function applyFollowing(resource: Resource, draft: Draft): void {
  for (const [name, by] of resource.follow) draft[name] = by(draft)
}

/** Throws `bad-request` naming the field whose record does not exist. */
export async function checkReferences(
  engine: Engine,
  reader: Reader,
  resource: Resource,
  values: Draft,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const reference = resource.fields[name]?.reference
    if (!reference || value === null) continue
    const target = engine.catalog.get(reference.resource)
    const found = await reader.find(target, equal(target.idField, value as Scalar))
    if (!found) throw fieldError(name, `refers to no ${inSentence(target.label)} that exists`)
  }
}

/** Throws `forbidden` when the body would change a field that is not the caller's to set; the same value again changes nothing. */
export function checkGuarded(permitted: Permitted, values: Draft, before: Row | undefined): void {
  for (const name of permitted.guarded) {
    if (!Object.hasOwn(values, name)) continue
    if (before === undefined || values[name] !== before[name]) throw forbidden(undefined, permitted.writers.get(name))
    delete values[name]
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false
  return keys.every((key) => isSame((a as Draft)[key], (b as Draft)[key]))
}

/** Throws `bad-request` when a read-only field was sent with another value than the one that is shown. */
export function checkFixed(resource: Resource, body: Body, shown: Row): void {
  if (body.fixed.size === 0) return
  const represented = representRecord(resource, body.fixed.keys(), shown)
  for (const [name, sent] of body.fixed) {
    if (!isSame(sent, represented[name])) throw fieldError(name, 'is read-only')
  }
}

/** Throws `precondition-failed` when the record has another version than the caller asked for (RFC 9110, section 13.1.1). */
export function checkVersion(row: Row, ifVersion: readonly number[] | undefined): void {
  if (ifVersion === undefined || ifVersion.includes(row.version)) return
  throw new ApiError('precondition-failed', 'The record has changed since it was read; read it again')
}
