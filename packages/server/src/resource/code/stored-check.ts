/** A check of a record as stored records are counted by it. The databases know no other form. */
import type { Resource } from '../catalog.ts'
import type { Condition } from '../condition.ts'

/** The records that it refuses: by a condition, or by code. */
export type StoredCheck = {
  readonly resource: Resource
  readonly name: string
  readonly message: string
  /** Differs when the check does. */
  readonly definition: string
} & (
  | { readonly failing: Condition; readonly refuses?: never }
  | { readonly refuses: (record: Readonly<Record<string, unknown>>) => boolean; readonly failing?: never }
)
