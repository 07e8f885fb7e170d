/**
 * Limits concurrent password hashes, since each takes one core for tens of milliseconds. Log-ins
 * have a queue of their own. However many sign-ups and other hashes wait, one slot stays for
 * log-ins; log-ins leave the others one too.
 */
import { ApiError } from '../../errors.ts'

/** More at once would starve the other requests. */
const hashesAtOnce = 2
const othersAtOnce = hashesAtOnce - 1
/** When this many wait in a queue, further callers are told to come back later. */
const waitingMax = 300

/**
 * Runs the work when it is its turn, first come, first served. Throws `unavailable` when too many
 * wait.
 */
export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

export function makeHashLimiter(): { readonly logIns: RunLimited; readonly others: RunLimited } {
  const waiting = { logIns: [] as (() => void)[], others: [] as (() => void)[] }
  const running = { logIns: 0, others: 0 }

  function mayStart(lane: keyof typeof running): boolean {
    return running.logIns + running.others < hashesAtOnce && (lane === 'logIns' || running.others < othersAtOnce)
  }

  function startNext(): void {
    const lanes = ['logIns', 'others'] as const
    for (const lane of running.logIns > 0 && running.others === 0 ? lanes.toReversed() : lanes) {
      if (!mayStart(lane)) continue
      const next = waiting[lane].shift()
      if (!next) continue
      running[lane] += 1
      next()
      return
    }
  }

  const laneOf =
    (lane: keyof typeof running): RunLimited =>
    async (work) => {
      if (mayStart(lane)) running[lane] += 1
      else if (waiting[lane].length >= waitingMax)
        throw new ApiError('unavailable', 'Too many log-ins at once, try again', { retryAfterSeconds: 5 })
      else await new Promise<void>((start) => waiting[lane].push(start))
      try {
        return await work()
      } finally {
        running[lane] -= 1
        startNext()
      }
    }

  return { logIns: laneOf('logIns'), others: laneOf('others') }
}
