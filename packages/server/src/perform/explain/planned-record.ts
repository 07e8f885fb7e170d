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
import type { Row, Values } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { resolveDefaults } from '../values.ts'

export type PlannedWrite = {
  readonly resource: Resource
  readonly principal: Principal
  readonly body: RecordBody
  /** The reference that the path sets, and the record that it names. */
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

/** Undefined where a function of the declaration does not take what is known. */
export function plannedRecord(engine: Engine, write: PlannedWrite, before: Row | undefined): Values | undefined {
  const { resource, principal, body } = write
  const context = contextOf(engine, principal)
  const values = resolveDefaults(resource, body, context)
  const draft: Record<string, unknown> = before ? { ...before, ...values } : { ...values }
  for (const name of before ? [] : resource.storedNames)
    draft[name] ??= initialOf(write, { name, field: resource.fields[name] as Field, context })
  try {
    applyOnWrite(resource, draft)
    return draft
  } catch {
    return undefined
  }
}

/** The fields whose values the body would change. */
export function changedFields(engine: Engine, write: PlannedWrite, before: Row | undefined): readonly string[] {
  const values = resolveDefaults(write.resource, write.body, contextOf(engine, write.principal))
  const isSame = (name: string) => before !== undefined && JSON.stringify(values[name]) === JSON.stringify(before[name])
  return Object.keys(values).filter((name) => name !== write.parent?.by && !isSame(name))
}
