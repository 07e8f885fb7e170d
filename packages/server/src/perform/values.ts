/**
 * Turns a checked body into the values for `record/`: resolves defaults, and checks guarded fields,
 * read-only fields and versions.
 */
import { timestampOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type { ChangeOperation, RecordBody } from '../operation/operation.ts'
import { collectProblems } from '../operation/problem-collector.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import type { DraftValues } from '../record/requested-write.ts'
import type { Resource } from '../resource/catalog.ts'
import { type DefaultContext, type Field, fieldError } from '../resource/fields/field.ts'
import { fileIdOf } from '../resource/fields/files/stored-file.ts'
import { addIncrement, isIncrement } from '../resource/fields/numbers/increment.ts'
import type { Row } from '../storage/storage.ts'
import { representRecord } from '../value/represent.ts'
import type { Engine } from './engine.ts'

export type { DraftValues }

export function defaultContext(engine: Engine, permitted: Permitted): DefaultContext {
  const { principal } = permitted
  return {
    get now() {
      return timestampOf(engine.clock()) // most defaults do not use it
    },
    settings: engine.settings,
    role: principal.kind === 'user' ? principal.role : null,
  }
}

/** The values of a body, with every `useDefault` resolved. */
export function resolveDefaults(resource: Resource, body: RecordBody, context: DefaultContext): DraftValues {
  const values: DraftValues = {}
  for (const [name, value] of body.values) {
    const field = resource.fields[name] as Field
    values[name] = value === useDefault ? defaultOf(field, context) : value
  }
  return values
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false
  return keys.every((key) => isSame((a as DraftValues)[key], (b as DraftValues)[key]))
}

/** Whether a value that was sent is the stored one. A file is named by its id. */
export function isSameValue({ type }: Field, sent: unknown, stored: unknown): boolean {
  if (!type.holdsFiles) return isSame(sent, stored)
  const idsOf = (value: unknown) => (Array.isArray(value) ? value : [value]).map((one) => fileIdOf(one))
  return Array.isArray(sent) === Array.isArray(stored) && isSame(idsOf(sent), idsOf(stored))
}

/** The values, with each increment added to the stored value. Throws `conflict`. */
export function addIncrements({ fields }: Resource, values: DraftValues, before: Row): void {
  for (const [name, value] of Object.entries(values))
    if (isIncrement(value)) values[name] = addIncrement(before[name], value, { name, field: fields[name] as Field })
}

/** The path says which record is above: a body may only say the same. Throws `bad-request`. */
export function checkSameParent(sent: DraftValues, by: string, parentId: unknown): void {
  if (Object.hasOwn(sent, by) && sent[by] !== parentId)
    throw fieldError(by, 'is set by the path: leave it out, or send the id that the path names')
}

/**
 * Throws `forbidden` when the body would change a field that the caller may not set; sending the
 * same value again changes nothing.
 */
export function checkGuarded(permitted: Permitted, values: DraftValues, before: Row | undefined): void {
  for (const name of permitted.guarded) {
    if (!Object.hasOwn(values, name) || name === permitted.operation.under?.by) continue
    const field = permitted.operation.resource.fields[name] as Field
    if (before === undefined || !isSameValue(field, values[name], before[name]))
      throw forbidden(undefined, permitted.writers.get(name))
    delete values[name]
  }
}

/** Throws `bad-request` when read-only fields were sent with other values than those shown. */
export function checkFixed(resource: Resource, body: RecordBody, shown: Row): void {
  if (body.fixed.size === 0) return
  const represented = representRecord(resource, body.fixed.keys(), shown)
  const mistakes = collectProblems()
  for (const [name, sent] of body.fixed) {
    if (!isSame(sent, represented[name])) mistakes.add(fieldError(name, 'is read-only'))
  }
  mistakes.end()
}

type Preconditions = Pick<ChangeOperation, 'ifVersion' | 'unlessVersion'>

/**
 * Throws `precondition-failed` for a version that the caller does not accept (RFC 9110, sections
 * 13.1.1 and 13.1.2).
 */
export function checkVersion({ version }: Row, { ifVersion, unlessVersion }: Preconditions): void {
  if (ifVersion !== undefined && !ifVersion.includes(version))
    throw new ApiError('precondition-failed', 'The record has changed since it was read; read it again')
  if (unlessVersion === 'any' || unlessVersion?.includes(version))
    throw new ApiError('precondition-failed', 'There is a record of a version that If-None-Match excludes')
}
