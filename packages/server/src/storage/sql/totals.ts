/**
 * Exact totals that are not counted twice: a count is kept together with the stamp of the resources it read, and is good
 * as long as the stamp is the same. Any write to one of them, by any process, makes another stamp.
 */
import { LRUCache } from 'lru-cache'

const totalsMax = 5000

export type Totals = {
  get(key: string, stamp: number): number | undefined
  set(key: string, stamp: number, count: number): void
}

export function makeTotals(): Totals {
  const totals = new LRUCache<string, { stamp: number; count: number }>({ max: totalsMax })
  return {
    get(key, stamp) {
      const known = totals.get(key)
      return known?.stamp === stamp ? known.count : undefined
    },
    set(key, stamp, count) {
      totals.set(key, { stamp, count })
    },
  }
}
