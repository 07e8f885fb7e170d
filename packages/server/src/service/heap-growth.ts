/** How much garbage may gather in this process before all of it is collected. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { watchFullCollections } from '../observe/full-collections.ts'

/**
 * What a process takes in the end that serves many lists. A smaller heap may grow faster on its way
 * there: each collection looks over all that is in use, and 10 MB of garbage are soon there.
 */
const heapBytesUsual = 90_000_000

/**
 * As shares of what is in use. Node's own measure is 50 to 300: with 60 MB in use, the heap was at
 * 134 MB before it was looked over. At the least a collection, which runs beside the program but
 * for some 10 ms, comes every few seconds under the heaviest load.
 */
const percentMin = 20
const percentMax = 50

/** 80,000,000 → 20, 65,000,000 → 38, 40,000,000 → 50 */
export function growthPercentOf(usedBytes: number): number {
  const percent = Math.round((heapBytesUsual / usedBytes - 1) * 100)
  return Math.min(percentMax, Math.max(percentMin, percent))
}

const setGrowth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`)

/**
 * V8 reads the flag at the end of each full collection, when it works out where the next one
 * begins. Returns what ends that it is set.
 */
export function keepHeapSmall(set: (percent: number) => void = setGrowth): () => void {
  const allow = (usedBytes: number) => set(growthPercentOf(usedBytes))
  allow(getHeapStatistics().used_heap_size)
  return watchFullCollections(allow)
}
