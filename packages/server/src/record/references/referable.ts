/**
 * The records that a reference may name, beyond that they exist: those that share the fields of
 * `match` with the record that refers. A null of that record leaves the field open, as in a foreign
 * key of several columns.
 */
import type { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Values } from '../../storage/storage.ts'

/** The condition that the named record must satisfy. `row`: the final values of the other one. */
export function referableWhere({ fields }: Resource, name: string, row: Values): Condition {
  const shared = (fields[name]?.reference?.match ?? []).map((one) => [one, row[one] ?? null] as const)
  return all(...shared.flatMap(([one, value]) => (value === null ? [] : [equal(one, value as Scalar)])))
}

/**
 * The references to check after a change: those that changed, and those whose condition reads a
 * field that did.
 */
export function referencesAfter({ matchingNames, fields }: Resource, changed: readonly string[]): readonly string[] {
  const bound = matchingNames.filter(
    (name) => !changed.includes(name) && fields[name]?.reference?.match.some((one) => changed.includes(one)),
  )
  return bound.length > 0 ? [...changed, ...bound] : changed
}

/** The same words for a record of another tenant, which does not exist for this one. */
export function refersToNone(name: string, { label }: Resource): ApiError {
  return fieldError(name, `refers to no ${inSentence(label)} that exists`)
}
