/**
 * What an answer rests on: a record by its id, the records that match a condition, or the part of their order that a page shows. Each can say
 * whether the same read would find the same now, from the changes since alone.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Past } from '../storage/derived/history.ts'
import { relatedIn } from '../storage/derived/match.ts'
import { compareWithPlace, type Place, placeOf } from '../storage/derived/order.ts'
import type { Since, Touch, Watch, Watches } from '../storage/derived/watch.ts'
import type { ListRequest, Row, Values } from '../storage/storage.ts'

/** `total`: only the number of records has changed, or may have. */
export type Verdict = 'same' | 'total' | 'changed'

/** Plain data, because thousands are kept: what does not differ between two of them is not in them. */
export type Seen = SeenRecord | SeenMatching
type SeenRecord = { readonly kind: 'record'; readonly past: Past; readonly id: Scalar; place: number }
type SeenMatching = {
  readonly kind: 'matching'
  readonly watch: Watch
  since: Since
  /** What of the matching records was shown. */
  readonly shown: 'all' | 'count' | Window
}

/** As measured, with what an answer of it keeps besides: a record, and a list with the links and the end of its page. */
const recordBytes = 100
const matchingBytes = 1_100
/** The first and the last place that a page shows. */
const placesBytes = 250

/** The one id that a condition allows, if no other record has a say; else undefined. */
export function idIn({ idField }: Resource, where: Condition): Scalar | undefined {
  const parts = where.kind === 'and' ? where.of : [where]
  const found = parts.find((one) => one.kind === 'compare' && one.operator === 'eq' && one.field === idField)
  return found?.kind === 'compare' && relatedIn(where).length === 0 ? found.value : undefined
}

/** Call it before the read. */
export function seeRecord(past: Past, id: Scalar): Seen {
  return { kind: 'record', past, id, place: past.end() }
}

/** Everything that matches, whatever of it is shown. Call it before the read. */
export function seeMatching(watch: Watch): Seen {
  return { kind: 'matching', watch, since: watch.now(), shown: 'all' }
}

/** Call it before the read. */
export function seeCount(watch: Watch): Seen {
  return { kind: 'matching', watch, since: watch.now(), shown: 'count' }
}

/** Where a record stands: within what was read, ahead of it in the same list, or where it has no effect. */
type Stand = 'inside' | 'ahead' | 'outside'

/** The part of an order that a list read. */
type Window = {
  readonly sort: ListRequest['sort']
  /** What a cursor stood at. */
  readonly after: Place | undefined
  /** Whether there is anything ahead of it. */
  readonly isBehind: boolean
  readonly first: Place | undefined
  readonly last: Place | undefined
  /** Whether the number of all records was shown too. */
  readonly isCounted: boolean
}

function windowOf({ sort, limit, after, offset = 0 }: ListRequest, rows: readonly Row[], isCounted: boolean): Window {
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    sort,
    after: after?.values,
    isBehind: offset > 0,
    first: first && placeOf(sort, first),
    // A list that ends before its limit is open: what comes behind its last record belongs to it.
    last: last && rows.length >= limit ? placeOf(sort, last) : undefined,
    isCounted,
  }
}

function standOf({ sort, after, isBehind, first, last }: Window, image: Values): Stand {
  if (after && compareWithPlace(sort, image, after) <= 0) return 'outside'
  if (last && compareWithPlace(sort, image, last) > 0) return 'outside'
  return first && isBehind && compareWithPlace(sort, image, first) < 0 ? 'ahead' : 'inside'
}

/** Whether a change leaves the rows of a window as they were. */
function leavesRows(window: Window, { moved, before, after, growth }: Touch): boolean {
  if (moved.before === undefined || moved.after === undefined) return false
  const [was, is] = [
    before === false || moved.before === null ? 'outside' : standOf(window, moved.before),
    after === false || moved.after === null ? 'outside' : standOf(window, moved.after),
  ]
  if (was === 'inside' || is === 'inside') return false
  if (was === 'outside' && is === 'outside') return true
  // Ahead before and after: as long as it is in the list both times, nothing behind it moves.
  return was === is && growth === 0
}

/** What a change to a matching record means. */
function judge(shown: SeenMatching['shown'], touch: Touch): Verdict {
  if (shown === 'all') return 'changed'
  if (shown === 'count') return touch.growth === 0 ? 'same' : 'changed'
  if (!leavesRows(shown, touch)) return 'changed'
  return shown.isCounted && touch.growth !== 0 ? 'total' : 'same'
}

function verdictOfMatching(seen: SeenMatching): Verdict {
  const { watch, shown } = seen
  const touches = watch.since(seen.since)
  if (!touches) return 'changed'
  let verdict: Verdict = 'same'
  for (const touch of touches) {
    const one = judge(shown, touch)
    if (one === 'changed') return one
    if (one === 'total') verdict = one
  }
  if (touches.length > 0) seen.since = watch.now()
  return verdict
}

/**
 * Looks at the changes since it was asked last; after `changed` it must not be asked again. Call it when everything is known that had been written
 * when it was read.
 */
export function verdictOfSeen(seen: Seen): Verdict {
  if (seen.kind === 'matching') return verdictOfMatching(seen)
  const { past, id, place } = seen
  const end = past.end()
  if (place === end) return 'same'
  if (!past.isSame(id, place)) return 'changed'
  seen.place = end
  return 'same'
}

/** About how much memory it takes. */
export function bytesOfSeen(seen: Seen): number {
  if (seen.kind === 'record') return recordBytes
  return typeof seen.shown === 'string' ? matchingBytes : matchingBytes + placesBytes
}

export type SeeingList = {
  readonly watch: Watch
  /** Call it after the read. `isCounted`: the total was shown too. */
  done(rows: readonly Row[], isCounted: boolean): Seen
}

/** Call it before the read of a list. */
export function seeList(watches: Watches, resource: Resource, request: ListRequest): SeeingList {
  const { where, sort } = request
  const watch = watches.of(resource, where)
  const since = watch.now()
  const isOrdered = sort.at(-1)?.field === resource.idField
  return {
    watch,
    done: (rows, isCounted) => ({
      kind: 'matching',
      watch,
      since,
      shown: isOrdered ? windowOf(request, rows, isCounted) : 'all',
    }),
  }
}
