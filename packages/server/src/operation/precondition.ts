/**
 * Requires writes to name the version that was read, on resources with `concurrency: 'required'`.
 * The same over REST and GraphQL.
 */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { isIncrement } from '../resource/fields/numbers/increment.ts'
import type { RecordBody } from './operation.ts'

const conditional: ReadonlySet<string> = new Set(['replace', 'update', 'delete'])

/**
 * `isNamed`: whether the request names a version. `where`: where it would. Throws
 * `precondition-required` (RFC 6585, section 3).
 */
export function checkNamesVersion(
  { resource, operation }: { readonly resource: Resource; readonly operation: string },
  isNamed: boolean,
  where = 'If-Match',
): void {
  if (!resource.needsVersion || isNamed || !conditional.has(operation)) return
  throw new ApiError('precondition-required', `Name the version that you read, in ${where}`)
}

/** Whether an update needs no version where its body has increments alone: each version will do. */
export function takesIncrements({ storedNames, fields }: Resource): boolean {
  return storedNames.some((name) => fields[name]?.increment)
}

/** Whether every change of the body is an increment. */
export function isIncrementOnly({ values, fixed, nested }: RecordBody): boolean {
  return !nested && values.size > 0 && fixed.size === 0 && values.values().every(isIncrement)
}
