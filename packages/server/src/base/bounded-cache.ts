/** A cache whose memory grows with its entries, for caches that most services hardly use. */
import { LRUCache } from 'lru-cache'

type Bound = {
  /** With more entries, the least recently used ones go. */
  readonly entriesMax: number
  /** Milliseconds; without it entries stay. */
  readonly keptMs?: number
}

/**
 * The library reserves its places when it is told the most entries: 20,000 of them cost each start
 * some milliseconds. Told a size instead, it does not, and a read takes half as long again.
 */
export function boundedCache<K extends NonNullable<unknown>, V extends NonNullable<unknown>>({
  entriesMax,
  keptMs,
}: Bound): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: entriesMax, sizeCalculation: () => 1, ...(keptMs && { ttl: keptMs }) })
}
