/**
 * The reads that a cached response depends on: a record by its id, the records that match a
 * condition, or a window of their order. From the changes since the read, each decides whether the
 * same read would find the same records now.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import { type FieldKey, hasFarKey, resourcesBehind } from '../resource/relations/far-field.ts'
import type { ChangeRing } from '../storage/derived/change-history.ts'
import type { ConditionChange, ConditionWatch, ConditionWatches, Position } from '../storage/derived/condition-watch.ts'
import { relatedIn } from '../storage/derived/match.ts'
import { compareWithPosition, type SortPosition, sortPositionOf } from '../storage/derived/sort-order.ts'
import type { ListRequest, Row, Values } from '../storage/storage.ts'

/** `total`: only the number of records has changed, or may have. */
export type Freshness = 'same' | 'total' | 'changed'

/** Plain data, because thousands are kept; data that entries share is not in it. */
export type Dependency = RecordDependency | MatchDependency
type RecordDependency = { readonly kind: 'record'; readonly ring: ChangeRing; readonly id: Scalar; place: number }
type MatchDependency = {
  readonly kind: 'matching'
  readonly watch: ConditionWatch
  position: Position
  /** The part of the matching records that was shown. */
  readonly shown: 'all' | 'count' | ListWindow
}

/**
 * Bytes as measured, with the other data of the response. A list keeps the links and the ending of
 * its page.
 */
const recordBytes = 100
const matchingBytes = 1_100
/** The first and the last position that a page shows. */
const placesBytes = 250

/** The one id that a condition allows, if it depends on no other record; else undefined. */
export function idOfCondition({ idField }: Resource, where: Condition): Scalar | undefined {
  const parts = where.kind === 'and' ? where.of : [where]
  const found = parts.find((one) => one.kind === 'compare' && one.operator === 'eq' && one.field === idField)
  return found?.kind === 'compare' && relatedIn(where).length === 0 ? found.value : undefined
}

/** Call it before the read. */
export function dependOnRecord(ring: ChangeRing, id: Scalar): Dependency {
  return { kind: 'record', ring, id, place: ring.end() }
}

/** Depends on all matching records, whichever parts were shown. Call it before the read. */
export function dependOnMatching(watch: ConditionWatch): Dependency {
  return { kind: 'matching', watch, position: watch.now(), shown: 'all' }
}

/** Call it before the read. */
export function dependOnCount(watch: ConditionWatch): Dependency {
  return { kind: 'matching', watch, position: watch.now(), shown: 'count' }
}

/**
 * The position of a record: inside the window that was read, before it in the list, or where it has
 * no effect.
 */
type WindowSide = 'inside' | 'ahead' | 'outside'

/** The window of an order that a list read. */
type ListWindow = {
  readonly sort: ListRequest['sort']
  /** The position of the cursor. */
  readonly after: SortPosition | undefined
  /** Whether the list has records before the window. */
  readonly isBehind: boolean
  readonly first: SortPosition | undefined
  readonly last: SortPosition | undefined
  /** Whether the total was shown too. */
  readonly isCounted: boolean
}

function windowOf(
  { sort, limit, after, offset = 0 }: ListRequest,
  rows: readonly Row[],
  isCounted: boolean,
): ListWindow {
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    sort,
    after: after?.values,
    isBehind: offset > 0,
    first: first && sortPositionOf(sort, first),
    // A list that ends before its limit has an open window: records after its last one belong to
    // it.
    last: last && rows.length >= limit ? sortPositionOf(sort, last) : undefined,
    isCounted,
  }
}

function standOf({ sort, after, isBehind, first, last }: ListWindow, image: Values): WindowSide {
  if (after && compareWithPosition(sort, image, after) <= 0) return 'outside'
  if (last && compareWithPosition(sort, image, last) > 0) return 'outside'
  return first && isBehind && compareWithPosition(sort, image, first) < 0 ? 'ahead' : 'inside'
}

/** Whether a change leaves the rows of a window as they were. */
function leavesRows(window: ListWindow, { rowChange, before, after, growth }: ConditionChange): boolean {
  if (rowChange.before === undefined || rowChange.after === undefined) return false
  const [was, is] = [
    before === false || rowChange.before === null ? 'outside' : standOf(window, rowChange.before),
    after === false || rowChange.after === null ? 'outside' : standOf(window, rowChange.after),
  ]
  if (was === 'inside' || is === 'inside') return false
  if (was === 'outside' && is === 'outside') return true
  // Before the window both times: while it stays in the list, the rows after it do not move.
  return was === is && growth === 0
}

/** How a change to a matching record affects the response. */
function judge(shown: MatchDependency['shown'], conditionChange: ConditionChange): Freshness {
  if (shown === 'all') return 'changed'
  if (shown === 'count') return conditionChange.growth === 0 ? 'same' : 'changed'
  if (!leavesRows(shown, conditionChange)) return 'changed'
  return shown.isCounted && conditionChange.growth !== 0 ? 'total' : 'same'
}

function verdictOfMatching(seen: MatchDependency): Freshness {
  const { watch, shown } = seen
  const touches = watch.since(seen.position)
  if (!touches) return 'changed'
  let verdict: Freshness = 'same'
  for (const conditionChange of touches) {
    const one = judge(shown, conditionChange)
    if (one === 'changed') return one
    if (one === 'total') verdict = one
  }
  if (touches.length > 0) seen.position = watch.now()
  return verdict
}

/**
 * Reads the changes since the last call; do not call it again after `changed`. Call it when the
 * server knows all writes before the read.
 */
export function freshnessOfDependency(dependency: Dependency): Freshness {
  if (dependency.kind === 'matching') return verdictOfMatching(dependency)
  const { ring, id, place } = dependency
  const end = ring.end()
  if (place === end) return 'same'
  if (!ring.isSame(id, place)) return 'changed'
  dependency.place = end
  return 'same'
}

/** About how much memory it takes. */
export function dependencyBytes(dependency: Dependency): number {
  if (dependency.kind === 'record') return recordBytes
  return typeof dependency.shown === 'string' ? matchingBytes : matchingBytes + placesBytes
}

/**
 * The records behind references by which keys sort or group, each that the reader may see. Call it
 * before the read.
 */
export function dependOnFar(watches: ConditionWatches, resource: Resource, keys: readonly FieldKey[]): Dependency[] {
  return keys.flatMap(({ far }) => {
    if (!far) return []
    const resources = resourcesBehind(resource, far)
    return far.through.map(({ where }, i) => dependOnMatching(watches.of(resources[i] as Resource, where)))
  })
}

export type ListDependency = {
  readonly watch: ConditionWatch
  /** Call it after the read. `isCounted`: the total was shown too. */
  done(rows: readonly Row[], isCounted: boolean): Dependency
}

/** Call it before the read of a list. */
export function dependOnList(watches: ConditionWatches, resource: Resource, request: ListRequest): ListDependency {
  const { where, sort } = request
  const watch = watches.of(resource, where)
  const position = watch.now()
  const isOrdered = sort.at(-1)?.field === resource.idField && !hasFarKey(sort)
  return {
    watch,
    done: (rows, isCounted) => ({
      kind: 'matching',
      watch,
      position,
      shown: isOrdered ? windowOf(request, rows, isCounted) : 'all',
    }),
  }
}
