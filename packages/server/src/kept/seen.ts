/**
 * What an answer rests on: a record by its id, the records that match a condition, or the part of their order that a page shows. Each can say
 * whether the same read would find the same now, from the changes since alone.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Past } from '../storage/derived/history.ts'
import { relatedIn } from '../storage/derived/match.ts'
import { comparePlaces, type Place, placeOf } from '../storage/derived/order.ts'
import type { Since, Touch, Watch, Watches } from '../storage/derived/watch.ts'
import type { ListRequest, Row, Values } from '../storage/storage.ts'

/** `total`: only the number of records has changed, or may have. */
export type Verdict = 'same' | 'total' | 'changed'

export type Seen = SeenRecord | SeenCondition

/** Data alone: there is one for each record that is kept, and thousands of those. */
type SeenRecord = {
  readonly kind: 'record'
  readonly past: Past
  readonly id: Scalar
  place: number
  /** About how much memory it takes. */
  readonly bytes: number
}

type SeenCondition = { readonly kind: 'condition'; verdict(): Verdict; readonly bytes: number }

/** Looks at the changes since it was asked last; after `changed` it must not be asked again. */
export function verdictOn(seen: Seen): Verdict {
  if (seen.kind === 'condition') return seen.verdict()
  const { past, id, place } = seen
  if (!past.isSame(id, place)) return 'changed'
  seen.place = past.end()
  return 'same'
}

/** As measured, with what an answer of it keeps besides: a record, and a list with the links and the end of its page. */
const recordBytes = 100
const watchedBytes = 1_680
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
  return { kind: 'record', past, id, place: past.end(), bytes: recordBytes }
}

type Judge = (touch: Touch) => Verdict

/** Follows a condition; `judge` says what a change to one of its records means. Call it before the read. */
function seeWatched(watch: Watch, judge: Judge, bytes: number = watchedBytes): Seen {
  let since: Since = watch.now()
  return {
    kind: 'condition',
    bytes,
    verdict() {
      const touches = watch.since(since)
      if (!touches) return 'changed'
      if (touches.length === 0) return 'same'
      let verdict: Verdict = 'same'
      for (const touch of touches) {
        const one = judge(touch)
        if (one === 'changed') return one
        if (one === 'total') verdict = one
      }
      since = watch.now()
      return verdict
    },
  }
}

/** Everything that matches, whatever of it is shown. */
export function seeMatching(watch: Watch): Seen {
  return seeWatched(watch, () => 'changed')
}

export function seeCount(watch: Watch): Seen {
  return seeWatched(watch, ({ growth }) => (growth === 0 ? 'same' : 'changed'))
}

/** Where a record stands: within what was read, ahead of it in the same list, or where it has no effect. */
type Stand = 'inside' | 'ahead' | 'outside'

/** The part of an order that a list read. */
type Window = {
  readonly request: ListRequest
  readonly first: Place | undefined
  readonly last: Place | undefined
}

function windowOf(request: ListRequest, rows: readonly Row[]): Window {
  const { sort, limit } = request
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    request,
    first: first && placeOf(sort, first),
    // A list that ends before its limit is open: what comes behind its last record belongs to it.
    last: last && rows.length >= limit ? placeOf(sort, last) : undefined,
  }
}

function standOf({ request, first, last }: Window, image: Values): Stand {
  const { sort, after, offset = 0 } = request
  const place = placeOf(sort, image)
  if (after && comparePlaces(sort, place, after.values) <= 0) return 'outside'
  if (last && comparePlaces(sort, place, last) > 0) return 'outside'
  return first && offset > 0 && comparePlaces(sort, place, first) < 0 ? 'ahead' : 'inside'
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

export type SeeingList = {
  /** Call it after the read. `counted`: the total was shown too. */
  done(rows: readonly Row[], counted: boolean): Seen
}

/** Call it before the read of a list. */
export function seeList(watches: Watches, resource: Resource, request: ListRequest): SeeingList {
  const { where, sort } = request
  const watch = watches.of(resource, where)
  const isOrdered = sort.at(-1)?.field === resource.idField
  let judge: Judge = () => 'changed'
  const seen = seeWatched(watch, (touch) => judge(touch), watchedBytes + placesBytes)
  return {
    done(rows, counted) {
      if (!isOrdered) return seen
      const window = windowOf(request, rows)
      judge = (touch) => {
        if (!leavesRows(window, touch)) return 'changed'
        return counted && touch.growth !== 0 ? 'total' : 'same'
      }
      return seen
    },
  }
}
