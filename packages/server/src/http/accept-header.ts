/** Checks the `Accept` header: whether the client takes a response of a given media type. */
import { ApiError } from '../errors.ts'
import { problemType } from './messages/problem.ts'

/** The most specific range that covers the type decides (RFC 9110, section 12.5.1). */
function isAccepted(type: string, ranges: ReadonlyMap<string, boolean>): boolean {
  return ranges.get(type) ?? ranges.get('application/*') ?? ranges.get('*/*') ?? false
}

/**
 * Throws `not-acceptable` when the client accepts none of these types. An empty header excludes
 * nothing.
 */
export function checkAccept(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return
  const ranges = new Map<string, boolean>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const refused = parameters.some((one) => /^q\s*=\s*0(\.0*)?$/.test(one))
    ranges.set(range, !refused || ranges.get(range) === true)
  }
  // A client that asks for problems takes JSON, which everything else is.
  if (ranges.get(problemType) && !ranges.has('application/json')) ranges.set('application/json', true)
  if (!types.some((type) => isAccepted(type, ranges)))
    throw new ApiError('not-acceptable', `The answer is ${types.join(' or ')}`)
}
