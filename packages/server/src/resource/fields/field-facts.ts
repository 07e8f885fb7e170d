/** What follows from a field's options, said once: for bodies, answers and documents alike. */
import type { BodyKind } from '../operation-kind.ts'
import type { Field } from './field.ts'

/** Whether records are ever shown with it, if only to some. */
export function isShown(field: Field): boolean {
  return !field.hidden
}

/** A token that is shown in the one answer that made it. */
export function isRevealed(field: Field): boolean {
  return field.type.secret === 'made'
}

/** Whether a body may change it. What is read-only may be sent again, as long as it says what is stored. */
export function isSettable(field: Field, kind: BodyKind): boolean {
  return field.setBy === undefined && !(field.immutable && kind !== 'create')
}

/** Whether a body must have it. */
export function isRequired(field: Field, kind: BodyKind): boolean {
  if (!field.required || kind === 'update') return false
  return kind === 'create' || !(field.keepOnReplace || field.immutable)
}
