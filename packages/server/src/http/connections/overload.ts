/**
 * Whether the process has more to do than it can: turns of the event loop that take too long, or a
 * heap that is nearly full of what is in use. It measures and judges, and knows nothing of
 * requests.
 */
import { getHeapStatistics } from 'node:v8'
import type { ServerLimits } from '../../limits.ts'
import { watchFullCollections } from '../../observe/full-collections.ts'

/**
 * What was seen: how late a turn of the event loop came, and which part of the heap was in use
 * after the last full collection.
 */
export type LoadSample = { readonly delayMs: number; readonly heapShare: number }

export type LoadMonitor = {
  isBusy(): boolean
  stop(): void
}

const lateTurnsMax = 3

/**
 * Judges what it is shown. One long turn is work of its own and not yet load; some in a row are,
 * until one is short again.
 */
export function makeOverloadDetector(limits: ServerLimits): { see(seen: LoadSample): void; isBusy(): boolean } {
  let lateTurns = 0
  let isLate = false
  let isFull = false
  return {
    see({ delayMs, heapShare }) {
      lateTurns = delayMs > limits.loopDelayMsMax ? lateTurns + 1 : 0
      if (lateTurns >= lateTurnsMax) isLate = true
      else if (delayMs < limits.loopDelayMsCalm) isLate = false
      if (heapShare > limits.heapShareMax) isFull = true
      else if (heapShare < limits.heapShareCalm) isFull = false
    },
    isBusy: () => isLate || isFull,
  }
}

/**
 * Between two collections most of a heap may be garbage, so only what a full one left is counted.
 */
function watchHeap(): { share(): number; stop(): void } {
  const heapBytesMax = getHeapStatistics().heap_size_limit
  let share = 0
  const stop = watchFullCollections((usedBytes) => {
    share = usedBytes / heapBytesMax
  })
  return { share: () => share, stop }
}

/** `late` is told how late each look came: what a request waits for its turn. */
export function monitorLoad(limits: ServerLimits, late: (delayMs: number) => void = () => undefined): LoadMonitor {
  const judge = makeOverloadDetector(limits)
  const heap = watchHeap()
  let dueMs = performance.now() + limits.loadCheckMs
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const delayMs = Math.max(0, nowMs - dueMs)
    judge.see({ delayMs, heapShare: heap.share() })
    late(delayMs)
    dueMs = nowMs + limits.loadCheckMs
  }, limits.loadCheckMs).unref()
  return {
    isBusy: judge.isBusy,
    stop() {
      clearInterval(timer)
      heap.stop()
    },
  }
}
