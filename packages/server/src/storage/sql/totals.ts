/**
 * A cache of exact totals: a count is kept with the generation of the resources that it read, and is valid while that generation stays the
 * same.
 */
import { LRUCache } from 'lru-cache'

const totalsMax = 5000

export type Totals = {
  get(key: string, generation: number): number | undefined
  set(key: string, generation: number, count: number): void
}

export function makeTotals(): Totals {
  const totals = new LRUCache<string, { generation: number; count: number }>({ max: totalsMax })
  return {
    get(key, generation) {
      const known = totals.get(key)
      return known?.generation === generation ? known.count : undefined
    },
    set(key, generation, count) {
      totals.set(key, { generation, count })
    },
  }
}
