/**
 * Wakes those who wait for the next change of the log. One timer of the process looks while some
 * wait; a change of this process makes it look at once.
 */
import type { Changes } from '../storage/changes.ts'
import { comparePlaces, type KeptLog, type LogPlace } from '../storage/derived/kept-log.ts'

export type LogBell = {
  /** Resolves when the log has settled changes behind the place, or when the signal aborts. */
  next(after: LogPlace, signal: AbortSignal): Promise<void>
  /** How many wait. */
  count(): number
}

/** Between two looks at changes of other processes, and at those that were not settled. */
const lookEveryMs = 50

type Waiting = { readonly wake: () => void }

type LogBellDeps = {
  readonly changes: Pick<Changes, 'follow'>
  readonly log: Pick<KeptLog, 'read'>
  /** Whether the service is stopping, so that none may wait. */
  isEnding(): boolean
}

export function makeLogBell({ changes, log, isEnding }: LogBellDeps): LogBell {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined
  let looking = false
  /** Behind it no change is known. */
  let looked: LogPlace | undefined

  /** Other writes move the end of the log too: only a change that it keeps is worth a look. */
  async function hasChanged(from: LogPlace): Promise<boolean> {
    const { changes: found, place, loss } = await log.read(from, 1)
    looked = place
    return found.length > 0 || loss !== undefined
  }

  async function look(): Promise<void> {
    if (looking || waiting.size === 0) return
    looking = true
    clearTimeout(timer)
    try {
      if (isEnding() || looked === undefined || (await hasChanged(looked))) wakeAll()
    } catch {
      // the reads of those who wait report that the database is gone
      wakeAll()
    } finally {
      looking = false
    }
    if (waiting.size > 0) timer = setTimeout(() => void look(), lookEveryMs)
  }
  function wakeAll(): void {
    for (const one of waiting) one.wake()
  }
  changes.follow({ apply: () => void look(), reset: () => void look() })

  return {
    count: () => waiting.size,
    next(after, signal) {
      return new Promise((resolve) => {
        const one: Waiting = { wake }
        function wake(): void {
          waiting.delete(one)
          signal.removeEventListener('abort', wake)
          if (waiting.size === 0) {
            clearTimeout(timer)
            looked = undefined
          }
          resolve()
        }
        // The look is behind it already: there may be a change in between.
        if (signal.aborted || (looked !== undefined && comparePlaces(after, looked) < 0)) return resolve()
        looked ??= after
        signal.addEventListener('abort', wake)
        waiting.add(one)
        void look()
      })
    },
  }
}
