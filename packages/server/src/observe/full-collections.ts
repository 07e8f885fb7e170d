/**
 * Watches full collections of V8's heap: memory that one leaves is live, and all later memory may
 * be garbage.
 */
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }
const full = constants.NODE_PERFORMANCE_GC_MAJOR

/**
 * Calls back soon after each collection, with the bytes in use. Returns the function that stops it.
 */
export function watchFullCollections(see: (usedBytes: number) => void): () => void {
  const observer = new PerformanceObserver((list) => {
    const isFull = list.getEntries().some((entry) => (entry as Collection).detail.kind === full)
    if (isFull) see(getHeapStatistics().used_heap_size)
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
