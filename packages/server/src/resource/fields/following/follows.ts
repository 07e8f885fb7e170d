/**
 * Derived fields that follow a stored one: `age` rises as `birthDate` falls. Lists are sorted by
 * the stored field, which has an index, and filters become conditions on it.
 */
import type { Scalar } from '../../condition.ts'
import type { Field, Fields } from '../field.ts'

/** `desc`: the value falls as the stored one rises. */
export type Follows = {
  readonly field: string
  readonly direction: 'asc' | 'desc'
  /**
   * The stored value from which on the field has this value or more: the least one, and in the
   * direction `desc` the greatest. Null where no stored value reaches it.
   */
  readonly bounds?: (value: never, context: { readonly now: string }) => Scalar | null
}

export function followsOf(field: Field | undefined): Follows | undefined {
  return field?.virtual?.kind === 'derived' ? field.virtual.follows : undefined
}

/** The names of the fields that follow one of these. */
export function followersOf(fields: Fields, names: ReadonlySet<string>): readonly string[] {
  return Object.keys(fields).filter((name) => names.has(followsOf(fields[name])?.field ?? ''))
}
