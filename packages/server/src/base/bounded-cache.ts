/** A cache of at most so many entries, whose memory grows with them. */
import { LRUCache } from 'lru-cache'

type Bound<K, V> = {
  /** With more entries, the least recently used ones go. */
  readonly entriesMax: number
  /** Milliseconds; without it entries stay. */
  readonly keptMs?: number
  /** Called with each entry that goes. */
  readonly dispose?: (value: V, key: K) => void
}
export type BoundedCache<K, V> = {
  get(key: K): V | undefined
  has(key: K): boolean
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

const firstPlaces = 64
const growth = 8

/**
 * The library reserves all places at once: 20,000 of them cost each start some milliseconds. So a
 * cache starts with few, and a full one moves to one with more. A read costs what it costs there.
 */
export function boundedCache<K extends NonNullable<unknown>, V extends NonNullable<unknown>>(
  bound: Bound<K, V>,
): BoundedCache<K, V> {
  const { entriesMax, keptMs, dispose } = bound
  const ofPlaces = (max: number) =>
    new LRUCache<K, V>({ max, ...(keptMs && { ttl: keptMs }), ...(dispose && { dispose }) })
  let entries = ofPlaces(Math.min(firstPlaces, entriesMax))

  /** With the order of the entries and their times. */
  function moveToMore(): void {
    const next = ofPlaces(Math.min(entries.max * growth, entriesMax))
    next.load(entries.dump())
    entries = next
  }
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      if (entries.size === entries.max && entries.max < entriesMax) moveToMore()
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
