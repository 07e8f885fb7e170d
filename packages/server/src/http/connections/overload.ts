/**
 * Detects overload of the process: turns of the event loop that take too long, or a heap nearly
 * full of live objects. It measures and judges, and knows nothing of requests.
 */
import { getHeapStatistics } from 'node:v8'
import type { ServerLimits } from '../../limits.ts'
import { watchFullCollections } from '../../observe/full-collections.ts'

/**
 * One measurement: the delay of a turn of the event loop, and the share of the heap that the last
 * full collection left in use.
 */
export type LoadSample = { readonly delayMs: number; readonly heapShare: number }

export type LoadMonitor = {
  isBusy(): boolean
  stop(): void
}

const lateTurnsMax = 3

/**
 * Judges each measurement. One long turn is not load; several in a row are, until a short one
 * follows.
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
 * Between two collections most of a heap may be garbage, so only live objects after a full one
 * count.
 */
function watchHeap(): { share(): number; stop(): void } {
  const heapBytesMax = getHeapStatistics().heap_size_limit
  let share = 0
  const stop = watchFullCollections((usedBytes) => {
    share = usedBytes / heapBytesMax
  })
  return { share: () => share, stop }
}

/** `late` receives the delay of each turn: the time that a request waits for its turn. */
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
