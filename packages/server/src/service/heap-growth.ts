/** Tunes how much garbage gathers in this process before V8 runs a full collection. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { watchFullCollections } from '../observe/full-collections.ts'

/**
 * The heap of a process that has served many lists for long. A smaller heap may grow by a larger
 * share: each collection scans all live objects, and 10 MB of garbage gather soon.
 */
const heapBytesUsual = 90_000_000

/**
 * As shares of the live heap. Node's own is 50 to 300: with 60 MB in use, the heap grew to 134 MB
 * before a collection. At the minimum, a collection comes every few seconds under the heaviest
 * load. It runs beside the program but for some 10 ms.
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
 * V8 reads the flag at the end of each full collection, when it sets the threshold of the next one.
 * Returns the function that ends the tuning.
 */
export function keepHeapSmall(set: (percent: number) => void = setGrowth): () => void {
  const allow = (usedBytes: number) => set(growthPercentOf(usedBytes))
  allow(getHeapStatistics().used_heap_size)
  return watchFullCollections(allow)
}
