/**
 * Derived fields that follow a stored one: `age` rises as `birthDate` falls. Lists are sorted by
 * the stored field, which has an index, and filters become conditions on it.
 */
import type { Scalar } from '../../condition.ts'

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
