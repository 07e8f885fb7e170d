/**
 * Wakes those who wait for the next change of the log. One timer of the process looks while some
 * wait; a change of this process makes it look at once.
 */
import type { Changes } from '../storage/changes.ts'
import { comparePlaces, type KeptLog, type LogPlace } from '../storage/derived/kept-log.ts'

export type LogBell = {
  /** Resolves when the log has settled changes behind the place, or when the signal aborts. */
  next(after: LogPlace, signal: AbortSignal): Promise<void>
}

/** Between two looks at changes of other processes, and at those that were not settled. */
const lookEveryMs = 50

type Waiting = { readonly after: LogPlace; readonly wake: () => void }

type LogBellDeps = {
  readonly changes: Pick<Changes, 'follow'>
  readonly log: Pick<KeptLog, 'end'>
  /** Whether the service is stopping, so that none may wait. */
  isEnding(): boolean
}

export function makeLogBell({ changes, log, isEnding }: LogBellDeps): LogBell {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined
  let looking = false

  async function look(): Promise<void> {
    if (looking || waiting.size === 0) return
    looking = true
    clearTimeout(timer)
    try {
      const end = await log.end()
      for (const one of waiting) if (isEnding() || comparePlaces(end, one.after) > 0) one.wake()
    } catch {
      // the reads of those who wait report that the database is gone
      for (const one of waiting) one.wake()
    } finally {
      looking = false
    }
    if (waiting.size > 0) timer = setTimeout(() => void look(), lookEveryMs)
  }
  changes.follow({ apply: () => void look(), reset: () => void look() })

  return {
    next(after, signal) {
      return new Promise((resolve) => {
        const one = { after, wake }
        function wake(): void {
          waiting.delete(one)
          signal.removeEventListener('abort', wake)
          if (waiting.size === 0) clearTimeout(timer)
          resolve()
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', wake)
        waiting.add(one)
        void look()
      })
    },
  }
}
