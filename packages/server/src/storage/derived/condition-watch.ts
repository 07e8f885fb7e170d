/**
 * Tracks how writes changed the set of records that match a condition. All cache entries with the
 * same condition share one watch. The watch compares each change with the condition once, and only
 * when an entry is used.
 */
import { LRUCache } from 'lru-cache'
import { jsonText } from '../../base/json-text.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Values } from '../stored-row.ts'
import type { ChangeHistory, ChangeRing, RowChange } from './change-history.ts'
import { fieldsOf, makeMatcher, type RowMatch, relatedIn } from './match.ts'

/** A change to a record that matches, or may match, before or after it. */
export type ConditionChange = {
  readonly rowChange: RowChange
  /** Undefined where it cannot be told whether the record matched. */
  readonly before: boolean | undefined
  readonly after: boolean | undefined
  /**
   * How the change affected the number of matching records; undefined where that cannot be told.
   */
  readonly growth: number | undefined
}

/** The position of a reader in a watch, and the losses that it has seen. */
export type Position = { readonly place: number; readonly losses: number }

export type ConditionWatch = {
  readonly resource: Resource
  readonly where: Condition
  /** Call it before the read whose result is to be kept. */
  now(): Position
  /** The changes since then, the latest first; undefined where some are no longer known. */
  since(position: Position): readonly ConditionChange[] | undefined
}

export type ConditionWatches = {
  readonly history: ChangeHistory
  /** The condition as a text: the cache key. */
  keyOf(resource: Resource, where: Condition): string
  of(resource: Resource, where: Condition, key?: string): ConditionWatch
}

/**
 * Changes that each watch may remember, and those that all may share beyond that. A watch that is
 * read less often than it changes loses some, so its readers read again.
 */
const touchesOwn = 64
export const conditionChangesSharedMax = 500_000
/** The memory limit of all watches, by an estimate of each one's size. */
const watchBytesMax = 8_000_000
const watchBytes = 2_000
const bytesOfCharacter = 6

const untouched: readonly ConditionChange[] = []

/** Whether a record with this image matches; false where there is none. */
function isMatch(match: RowMatch, image: Values | null | undefined): boolean | undefined {
  return image === null ? false : image && match(image)
}

/** Whether it is certain that the change did not touch these fields. */
function leaves({ change, before, after }: RowChange, fields: ReadonlySet<string>): boolean {
  if (!before || !after) return change.fields?.every((name) => !fields.has(name)) ?? false
  for (const name of fields) if (before[name] !== after[name]) return false
  return true
}

type ConditionWatchDeps = {
  readonly catalog: Catalog
  readonly history: ChangeHistory
  compile(resource: Resource, where: Condition): RowMatch
  /** How many more changes all watches together may remember. */
  readonly room: { left: number }
}
type WatchRead = { take(rowChange: RowChange, place: number): void; lose(): void }

/** Calls `take` with every change since the last call, or `lose` where some are no longer known. */
function makeFollower(ring: ChangeRing, { take, lose }: WatchRead): () => void {
  let next = ring.end()
  return () => {
    const end = ring.end()
    if (next < ring.start()) {
      next = end
      lose()
    }
    for (; next < end; next += 1) take(ring.at(next), next)
  }
}

/** Calls `lose` when a related record begins or ceases to match, or may have. */
function followRelated(deps: ConditionWatchDeps, where: Condition, lose: () => void): (() => void)[] {
  return relatedIn(where).map((related) => {
    const resource = deps.catalog.get(related.resource)
    const match = deps.compile(resource, related.where)
    const { at } = related
    const fields = new Set(fieldsOf(resource, related.where))
    if (at !== undefined) fields.add(at)
    return makeFollower(deps.history.of(resource), {
      lose,
      take(rowChange) {
        // Only later changes can refer to a new record, unless it refers itself.
        if ((rowChange.before === null && at === undefined) || leaves(rowChange, fields)) return
        const [before, after] = [isMatch(match, rowChange.before), isMatch(match, rowChange.after)]
        const moved = at !== undefined && rowChange.before?.[at] !== rowChange.after?.[at]
        if (before === undefined || before !== after || (before && moved)) lose()
      },
    })
  })
}

/**
 * A change as one number, so that many watches take little memory: its position, and how the record
 * matched.
 */
function pack(
  place: number,
  [before, after, stays]: readonly [boolean | undefined, boolean | undefined, boolean],
): number {
  return place * 32 + Number(before ?? 2) * 8 + Number(after ?? 2) * 2 + Number(stays)
}

const placeIn = (touch: number) => Math.floor(touch / 32)
const answers = [false, true, undefined] as const

function unpack(ring: ChangeRing, touch: number): ConditionChange | undefined {
  const place = placeIn(touch)
  if (place < ring.start()) return undefined
  const [before, after] = [answers[(touch >> 3) & 3], answers[(touch >> 1) & 3]]
  const unknown = before === undefined || after === undefined
  const growth = touch & 1 ? 0 : unknown ? undefined : Number(after) - Number(before)
  return { rowChange: ring.at(place), before, after, growth }
}

/**
 * The changes that one watch remembers. Frequently read conditions remember fewer changes; rarely
 * read ones use the shared room that is left.
 */
function makeTouches(ring: ChangeRing, room: ConditionWatchDeps['room']) {
  let touches: number[] = []
  let capacity = touchesOwn
  let retired = false
  /** Changes before this position are forgotten. */
  let floor = 0

  function forget(count: number): void {
    if (count === 0) return
    touches = touches.slice(count)
    floor = placeIn(touches[0] as number)
  }
  function mayGrow(): boolean {
    if (retired || room.left < capacity) return false
    room.left -= capacity
    capacity *= 2
    return true
  }
  return {
    floor: () => floor,
    /** The latest is the last. */
    all: () => touches,
    clear(): void {
      touches = []
    },
    add(touch: number): void {
      touches.push(touch)
      if (touches.length <= capacity) return
      // A position that the history has forgotten is of no use.
      const known = touches.findIndex((one) => placeIn(one) >= ring.start())
      forget(known)
      if (touches.length > capacity / 2 && !mayGrow()) forget(Math.ceil(touches.length / 2))
    },
    /**
     * Returns its share of the common room, for good: only readers that still hold the watch know
     * it.
     */
    retire(): void {
      retired = true
      room.left += capacity - touchesOwn
      capacity = touchesOwn
      forget(Math.max(0, touches.length - touchesOwn))
    },
  }
}

type WatchEntry = ConditionWatch & { retire(): void }

function makeWatch(deps: ConditionWatchDeps, resource: Resource, where: Condition): WatchEntry {
  const match = deps.compile(resource, where)
  const fields = fieldsOf(resource, where)
  const ring = deps.history.of(resource)
  const touches = makeTouches(ring, deps.room)
  let losses = 0
  /** One object for all reads before the next change: thousands of entries keep theirs. */
  let latest: Position = { place: ring.end(), losses }
  const lose = () => {
    losses += 1
    touches.clear()
  }

  const catchUpOwn = makeFollower(ring, {
    lose,
    take(rowChange, place) {
      const [before, after] = [isMatch(match, rowChange.before), isMatch(match, rowChange.after)]
      if (before === false && after === false) return
      touches.add(pack(place, [before, after, leaves(rowChange, fields)]))
    },
  })
  const catchUps = [catchUpOwn, ...followRelated(deps, where, lose)]
  const catchUp = () => {
    for (const one of catchUps) one()
  }

  return {
    resource,
    where,
    retire: touches.retire,
    now() {
      catchUp()
      const place = ring.end()
      if (latest.place !== place || latest.losses !== losses) latest = { place, losses }
      return latest
    },
    since(position) {
      catchUp()
      if (position.place === ring.end() && position.losses === losses) return untouched
      if (position.losses !== losses || position.place < touches.floor()) return undefined
      const found: ConditionChange[] = []
      const all = touches.all()
      for (let i = all.length - 1; i >= 0 && placeIn(all[i] as number) >= position.place; i -= 1) {
        const conditionChange = unpack(ring, all[i] as number)
        if (!conditionChange) return undefined
        found.push(conditionChange)
      }
      return found.length === 0 ? untouched : found
    },
  }
}

export function makeConditionWatches(catalog: Catalog, history: ChangeHistory): ConditionWatches {
  const deps: ConditionWatchDeps = {
    catalog,
    history,
    compile: makeMatcher().compile,
    room: { left: conditionChangesSharedMax },
  }
  const known = new LRUCache<string, WatchEntry>({
    maxSize: watchBytesMax,
    dispose: (watch) => watch.retire(),
    sizeCalculation: (_, key) => watchBytes + key.length * bytesOfCharacter,
  })
  /**
   * One request needs the key of its condition several times. The cache spares it building and
   * hashing the text again.
   */
  const keys = new WeakMap<Condition, { readonly resource: Resource; readonly key: string }>()
  const keyOf: ConditionWatches['keyOf'] = (resource, where) => {
    const found = keys.get(where)
    if (found?.resource === resource) return found.key
    const key = `${resource.name} ${jsonText(where)}`
    keys.set(where, { resource, key })
    return key
  }
  return {
    history,
    keyOf,
    of(resource, where, key = keyOf(resource, where)) {
      const found = known.get(key)
      if (found) return found
      const made = makeWatch(deps, resource, where)
      known.set(key, made)
      return made
    },
  }
}
