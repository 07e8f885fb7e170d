/**
 * Requires writes to name the version that was read, on resources with `concurrency: 'required'`.
 * The same over REST and GraphQL.
 */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'

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
