/**
 * Keeps the changes of one transaction that were read again. The deliveries about it are sent one
 * after another, and each would read the whole transaction.
 */
import type { Clock } from '../base/clock.ts'
import type { OwnerFeed } from './owner-feed.ts'

type Again = OwnerFeed['again']
type AgainRequest = Parameters<Again>[0]

const isSame = (one: AgainRequest, other: AgainRequest) =>
  one.caller === other.caller &&
  one.after === other.after &&
  one.place === other.place &&
  one.filters === other.filters &&
  one.resources.length === other.resources.length &&
  one.resources.every((resource, at) => resource === other.resources[at])

/** `keptMs`: so old the rights may be by which they were read. */
export function keepAgain(again: Again, { clock, keptMs }: { readonly clock: Clock; readonly keptMs: number }): Again {
  let known: { readonly request: AgainRequest; readonly untilMs: number; readonly found: ReturnType<Again> } | undefined
  return (request) => {
    const nowMs = clock()
    if (known && known.untilMs > nowMs && isSame(known.request, request)) return known.found
    const found = again(request)
    known = { request, untilMs: nowMs + keptMs, found }
    return found
  }
}
