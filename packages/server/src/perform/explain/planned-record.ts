/**
 * The record that a write would make, as far as the request and the declaration tell: hooks and
 * steps of features may change it further. Nothing is stored.
 */
import { timestampOf } from '../../base/clock.ts'
import { defaultOf } from '../../operation/body.ts'
import type { RecordBody } from '../../operation/operation.ts'
import { applyOnWrite } from '../../record/stored-values.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { DefaultContext, Field } from '../../resource/fields/field.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Row } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { addIncrements, type DraftValues, isSameValue, resolveDefaults } from '../values.ts'

export type PlannedWrite = {
  readonly resource: Resource
  readonly principal: Principal
  readonly body: RecordBody
  /** The field that the path sets. */
  readonly by: string | undefined
  /** The field that the path sets, and the record that it names. */
  readonly parent: { readonly by: string; readonly row: Row; readonly resource: Resource } | undefined
}

function contextOf(engine: Engine, principal: Principal): DefaultContext {
  const role = principal.kind === 'user' ? principal.role : null
  return { now: timestampOf(engine.clock()), settings: engine.settings, role }
}

type PlannedField = { readonly name: string; readonly field: Field; readonly context: DefaultContext }

function initialOf({ principal, parent }: PlannedWrite, { name, field, context }: PlannedField): unknown {
  if (parent?.by === name) return parent.row[parent.resource.idField]
  if (field.setBy === 'principal') return principal.kind === 'user' ? principal.userId : null
  if (field.setBy === 'create' || field.setBy === 'write') return context.now
  return defaultOf(field, context)
}

/** The values of the body, with its defaults. */
export function sentValues(engine: Engine, { resource, body, principal }: PlannedWrite): DraftValues {
  return resolveDefaults(resource, body, contextOf(engine, principal))
}

/** Undefined where a function of the declaration does not take what is known. */
export function plannedRecord(
  engine: Engine,
  write: PlannedWrite,
  before: Row | undefined,
): Record<string, unknown> | undefined {
  const { resource, principal } = write
  const context = contextOf(engine, principal)
  const values = sentValues(engine, write)
  const draft: Record<string, unknown> = before ? { ...before, ...values } : { ...values }
  for (const name of before ? [] : resource.storedNames)
    draft[name] ??= initialOf(write, { name, field: resource.fields[name] as Field, context })
  try {
    if (before) addIncrements(resource, draft, before)
    applyOnWrite(resource, draft)
    return draft
  } catch {
    return undefined
  }
}

/** `unknown`: the fields that the record does not show, whose values are not compared. */
type KnownRecord = { readonly before: Row | undefined; readonly unknown: ReadonlySet<string> }

/** The fields whose values the body would change. */
export function changedFields(
  engine: Engine,
  write: PlannedWrite,
  { before, unknown }: KnownRecord,
): readonly string[] {
  const values = sentValues(engine, write)
  const { fields } = write.resource
  const isKept = (name: string) =>
    before !== undefined && !unknown.has(name) && isSameValue(fields[name] as Field, values[name], before[name])
  return Object.keys(values).filter((name) => name !== write.by && !isKept(name))
}
