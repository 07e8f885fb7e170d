/** Tells whether a value is a field, and checks that a member of `fields` is one. */
import { type MemberKind, printValue } from '../members.ts'
import type { Field } from './field.ts'

/** Whether the value was made by one of the field functions. */
export function isField(value: unknown): value is Field {
  const made = value as Partial<Field> | null | undefined
  return typeof made === 'object' && typeof made?.type?.checkStored === 'function' && Array.isArray(made.mistakes)
}

/** A value that a field function has made. The mistakes of its options are reported with it. */
export const fieldKind: MemberKind = (value, path, report) => {
  if (isField(value)) {
    for (const mistake of value.mistakes)
      report({ ...mistake, path: mistake.path === '' ? path : `${path}: ${mistake.path}` })
  } else {
    const call = typeof value === 'function' ? `; call it: ${value.name}()` : ''
    report({ path, problem: `must be a field, such as text(), and is ${printValue(value)}${call}` })
  }
}
