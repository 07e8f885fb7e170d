/** Reads the `Accept` header: whether the client takes a media type, and prefers one to JSON. */
import { ApiError } from '../errors.ts'
import { problemType } from './messages/problem.ts'

/** The most specific range that covers the type decides (RFC 9110, section 12.5.1). */
function weightOf(type: string, ranges: ReadonlyMap<string, number>): number {
  return ranges.get(type) ?? ranges.get(type.replace(/[^/]*$/, '*')) ?? ranges.get('*/*') ?? 0
}

/** `text/csv;q=0.5, *` → the weight of each range, the highest where it is named twice. */
function rangesOf(accept: string): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const said = parameters.map((one) => /^q\s*=\s*([\d.]+)$/.exec(one)?.[1]).find((one) => one !== undefined)
    const weight = said === undefined || Number.isNaN(Number(said)) ? 1 : Number(said)
    ranges.set(range, Math.max(weight, ranges.get(range) ?? 0))
  }
  return ranges
}

/** Whether the client prefers this type to JSON, which it gets where it does not care. */
export function prefersToJson(accept: string | undefined, type: string): boolean {
  if (accept === undefined || !accept.includes('/')) return false
  const ranges = rangesOf(accept)
  return weightOf(type, ranges) > weightOf('application/json', ranges)
}

/**
 * Throws `not-acceptable` when the client accepts none of these types. An empty header excludes
 * nothing.
 */
export function checkAccept(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return
  const ranges = rangesOf(accept)
  // A client that asks for problems takes JSON, which everything else is.
  if (ranges.get(problemType) && !ranges.has('application/json')) ranges.set('application/json', 1)
  if (!types.some((type) => weightOf(type, ranges) > 0))
    throw new ApiError('not-acceptable', `The answer is ${types.join(' or ')}`)
}
