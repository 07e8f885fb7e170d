/**
 * Checks which fields of a record a body may change, by the rules of fields. A `write` rule decides
 * by the stored record, and by the new record of a create. Callers may set a field without one who
 * may read it on the stored record. A value that the caller may not read is never compared.
 */
import { defaultOf, missingError, omittedValue, useDefault } from '../operation/body.ts'
import { shownWhere } from '../operation/visible-fields.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Condition } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { isIncrement } from '../resource/fields/numbers/increment.ts'
import type { Reader, Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import { judgeRows } from './read/judge-rows.ts'
import { addIncrements, checkGuarded, type DraftValues, defaultContext, isSameValue } from './values.ts'

type FieldsContext = { readonly engine: Engine; readonly reader: Reader }

type SentFields = {
  readonly before: Row
  /** Those that may not change and are equal to the stored ones are taken out. */
  readonly values: DraftValues
  /** The fields that a replace left out and that only some records show. */
  readonly omitted?: readonly string[] | undefined
}

/** The conditions that decide about these fields, by `read email` and `write email`. */
function conditionsOf(permitted: Permitted, names: readonly string[]): ReadonlyMap<string, Condition> {
  const { guardedWhere } = permitted
  return new Map(
    names.flatMap((name) => {
      const writable = guardedWhere.get(name)
      const shown = [`read ${name}`, shownWhere(permitted, name)] as const
      return writable ? [shown, [`write ${name}`, writable] as const] : [shown]
    }),
  )
}

/** The values that differ, of fields that the caller may read on the stored record. */
export async function readableChanges(
  { engine, permitted, tx }: { readonly engine: Engine; readonly permitted: Permitted; readonly tx: Reader },
  before: Row,
  given: DraftValues,
): Promise<DraftValues> {
  const { resource } = permitted.operation
  const names = Object.keys(given).filter(
    (name) => permitted.visible.has(name) && !isSameValue(resource.fields[name] as Field, given[name], before[name]),
  )
  const conditions = new Map(names.map((name) => [name, shownWhere(permitted, name)]))
  const [held] = await judgeRows({ catalog: engine.catalog, reader: tx }, { resource, rows: [before], conditions })
  return Object.fromEntries(names.filter((name) => held?.has(name)).map((name) => [name, given[name]]))
}

/**
 * Throws `forbidden` for a field that the caller may not change, and `bad-request`. Then adds the
 * increments, and throws `conflict`.
 */
export async function checkChangedFields(
  { engine, reader }: FieldsContext,
  permitted: Permitted,
  { before, values, omitted = [] }: SentFields,
): Promise<void> {
  const { operation, guarded, guardedWhere, writers } = permitted
  const { resource, under } = operation
  const isJudged = (name: string) => resource.partlyShown.includes(name) || guardedWhere.has(name)
  const sent = Object.keys(values).filter((name) => isJudged(name) && name !== under?.by)
  if (sent.length === 0 && omitted.length === 0) {
    checkGuarded(permitted, values, before)
    return addIncrements(resource, values, before)
  }
  const conditions = conditionsOf(permitted, [...sent, ...omitted])
  const [held] = await judgeRows({ catalog: engine.catalog, reader }, { resource, rows: [before], conditions })
  const isShown = (name: string) => held?.has(`read ${name}`) === true
  const cleared = omitted.filter(isShown)
  const missing = cleared.filter((name) => resource.fields[name]?.required)
  if (missing.length > 0) throw missingError(resource, missing)
  for (const name of cleared) {
    const value = omittedValue(resource, name)
    const field = resource.fields[name] as Field
    values[name] = value === useDefault ? defaultOf(field, defaultContext(engine, permitted)) : value
  }
  for (const name of [...sent, ...cleared]) {
    const hasRule = resource.fields[name]?.write !== undefined
    const mayWrite = guardedWhere.has(name) ? held?.has(`write ${name}`) === true : !guarded.has(name)
    // The limits of the field would tell a value that is added to.
    const isTold = isIncrement(values[name]) && !isShown(name)
    if (!isTold && (hasRule ? mayWrite : isShown(name))) continue
    const isKept = isSameValue(resource.fields[name] as Field, values[name], before[name])
    if (!isShown(name) || !isKept) throw forbidden(undefined, writers.get(name))
    delete values[name]
  }
  checkGuarded(permitted, values, before)
  addIncrements(resource, values, before)
}

/** After a record was stored. Throws `forbidden` for a value that the caller may not set on it. */
export async function checkSetFields(
  { engine, reader }: FieldsContext,
  permitted: Permitted,
  { row, sent }: { readonly row: Row; readonly sent: DraftValues },
): Promise<void> {
  const { operation, guardedWhere, writers } = permitted
  const conditions = new Map([...guardedWhere].filter(([name]) => Object.hasOwn(sent, name)))
  if (conditions.size === 0) return
  const { resource } = operation
  const [held] = await judgeRows({ catalog: engine.catalog, reader }, { resource, rows: [row], conditions })
  for (const name of conditions.keys()) if (!held?.has(name)) throw forbidden(undefined, writers.get(name))
}
