/** Facts that follow from a field's options: one source for bodies, responses and documents. */
import type { BodyKind } from '../operation-kind.ts'
import { isOfCaller } from '../rule.ts'
import type { StoredRow } from './computed/earlier-values.ts'
import type { Field, Fields, FieldType } from './field.ts'

/** Whether any caller ever sees the field. */
export function isShown(field: Field): boolean {
  return !field.hidden
}

/** Whether answers have the field only where the request names it. */
export function isOnRequest({ returned, virtual }: Pick<Field, 'returned' | 'virtual'>): boolean {
  return returned === 'request' || virtual?.kind === 'links'
}

/** Whether its `read` rule looks at the record, so that some records show it and others may not. */
export function isPartlyShown(field: Field | undefined): boolean {
  return field?.read !== undefined && !isOfCaller(field.read)
}

/** Whether at most one record names another by it, and the other may have none. */
export function isOneToOne(field: Pick<Field, 'reference'> | undefined): boolean {
  return field?.reference?.one === true
}

/** The rules of fields, as they are for a record that is read or written. */
export function settleRules(fields: Fields): Readonly<Record<string, Field>> {
  const settled = Object.entries(fields).map(([name, field]) => {
    const { read, write } = field
    const rules = {
      ...(read && { read: read.type.forOperation(read, 'get') }),
      ...(write && { write: write.type.forOperation(write, 'update') }),
    }
    return [name, read || write ? { ...field, ...rules } : field] as const
  })
  return Object.fromEntries(settled)
}

/** Whether the field is a token, which only the answer to its create shows. */
export function isRevealed(field: Field): boolean {
  return field.type.secret === 'made'
}

/**
 * Whether a body may change the field. A read-only value may be sent as long as it equals the
 * stored one.
 */
export function isSettable(field: Field, kind: BodyKind): boolean {
  return field.setBy === undefined && !(field.immutable && kind !== 'create')
}

/** Whether the field holds values that are given: it is stored, or holds links. */
export function takesValues({ virtual }: Pick<Field, 'virtual'>): boolean {
  return virtual === undefined || virtual.kind === 'links'
}

/** Whether a body must have the field. */
export function isRequired(field: Field, kind: BodyKind): boolean {
  if (!field.required || kind === 'update') return false
  return kind === 'create' || !(field.keepOnReplace || field.immutable)
}

/**
 * Whether every body must have the field, as documents say it. A replace needs no value of a field
 * that the record may hide from the caller.
 */
export function isAlwaysRequired(field: Field, kind: BodyKind): boolean {
  return isRequired(field, kind) && !(kind === 'replace' && isPartlyShown(field))
}

/**
 * Why the field may not store the value, as a sentence that begins with the name; undefined when it
 * may. Null is no value here.
 */
export function valueMistake(field: Field, value: unknown, name: string): string | undefined {
  try {
    field.type.checkStored(value, name, field)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The meaning of its stored values: under another one the same values say something else. */
export function storedAs(field: Field): string {
  if (field.counted) return 'counted' // its values are counted again where their type changes
  return field.type.storedAs?.(field) ?? field.type.name
}

/** The type for copies of values, which the engine does not count or place again. */
export function withoutSeries(type: FieldType): FieldType {
  return type.series || type.places ? { ...type, series: undefined, places: undefined } : type
}

/** Whether stored values of both can be compared with each other. */
export function areComparable(one: Field, other: Field): boolean {
  const isSame = one.type.column === other.type.column && one.type.inTime?.kind === other.type.inTime?.kind
  return isSame && scaleOf(one) === scaleOf(other)
}

const scaleOf = (field: Field) => field.type.scaleOf?.(field) ?? 0

/**
 * Makes values of the field from stored values with another meaning, as the declaration or the type
 * says it. Undefined where neither does.
 */
export function conversionOf(
  field: Field,
  { kind, name }: { readonly kind: string | undefined; readonly name: string },
): ((value: unknown, row: StoredRow) => unknown) | undefined {
  return field.convert ?? (kind === undefined ? undefined : field.type.converts?.(kind, name, field))
}

/** The names that the field had before. */
export function earlierNames({ renamedFrom }: Field): readonly string[] {
  return [renamedFrom ?? []].flat().filter((one) => typeof one === 'string')
}

/**
 * The former words of a choice, with their successors. It has no prototype, because stored texts
 * are looked up in it.
 */
export function earlierWords({ renamedFrom }: Field): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), ...[renamedFrom ?? []].flat().filter((one) => typeof one === 'object'))
}

/** The present word for a stored value. A null stays null. */
export function presentWord(words: ReturnType<typeof earlierWords>, value: unknown): unknown {
  return typeof value === 'string' ? (words[value] ?? value) : value
}
