/**
 * A condition that the records of one resource must satisfy after a write. `policy/` makes it from
 * the rule, and `record/` checks it on every write.
 */
import type { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Condition } from '../resource/condition.ts'

export type ResultRule = {
  readonly resource: Resource
  readonly where: Condition
  /** Makes the error for a record that does not match. */
  readonly refusal: () => ApiError
  /** Whether every record that is changed has matched the same condition before. */
  readonly heldBefore: boolean
  /** Whether the condition compares with the record as it was before. */
  readonly namesPrevious: boolean
}
