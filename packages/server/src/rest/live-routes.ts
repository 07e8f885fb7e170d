/**
 * The parameter of lists and summaries that keeps their answer open, and the routes that take it.
 * Data only; `events/live/` answers.
 */
import { mayName, parseParameters } from '../operation/parameters.ts'
import { followedBy } from '../resource/effects/declared-changes.ts'
import type { Route } from './route.ts'

export const liveParameter = '_live'
const written = /_live/

export function asksLive({ query, method }: { readonly query: string; readonly method: string }): boolean {
  return method !== 'QUERY' && query !== '' && mayName(query, written) && parseParameters(query).has(liveParameter)
}

/** Lists and summaries of records whose changes are kept, and the only record of a resource. */
export function takesLive({ target, steps, compares, many, upserts, isInTrash }: Route): boolean {
  const { resource, operation } = target
  if (compares || many || upserts || isInTrash || (operation === 'get' && steps.length > 0)) return false
  return operation === followedBy(resource)
}
