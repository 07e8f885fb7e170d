/**
 * Schedules one query for due effects at a time. A request during a query starts another one after
 * it, and each query returns when the next is due.
 */

export type PollScheduler = {
  /** Resolves when it has looked, from now on. */
  now(): Promise<void>
  /** At the latest after this time. */
  within(ms: number): void
  stop(): void
  /** Resolves when none is under way. */
  settled(): Promise<void>
}

type PollSchedulerDeps = {
  /** Returns how long nothing is to be done. */
  look(): Promise<number>
  /** The wait after a look that failed. */
  readonly failedMs: number
  failed(error: unknown): void
  succeeded(): void
}

export function makePollScheduler({ look, failedMs, failed, succeeded }: PollSchedulerDeps): PollScheduler {
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let timerAtMs = Number.POSITIVE_INFINITY

  function within(waitMs: number): void {
    const atMs = performance.now() + waitMs
    if (stopped || atMs >= timerAtMs) return
    clearTimeout(timer)
    timerAtMs = atMs
    timer = setTimeout(() => {
      timerAtMs = Number.POSITIVE_INFINITY
      void now()
    }, waitMs)
    timer.unref()
  }

  async function lookUntilNone(): Promise<void> {
    let waitMs = failedMs
    while (again && !stopped) {
      again = false
      try {
        waitMs = await look()
        succeeded()
      } catch (error) {
        if (!stopped) failed(error)
        waitMs = failedMs
      }
    }
    within(waitMs)
  }

  function now(): Promise<void> {
    again = true
    looking ??= lookUntilNone().finally(() => {
      looking = undefined
      if (again && !stopped) void now()
    })
    return looking
  }

  return {
    now,
    within,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
    settled: async () => looking,
  }
}
