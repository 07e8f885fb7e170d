/** Tells the run of an endpoint that there is something new: changes, or the endpoint itself. */

/** `rows`: its own rows or those of its deliveries; `log`: the change log. */
export type News = 'rows' | 'log'

export type Bell = {
  ring(news: News): void
  isRung(): boolean
  /** The news since it was last taken. */
  take(): ReadonlySet<News>
  /** Resolves at the next ring, after this time, or when one of the others does. */
  wait(ms: number, others: Iterable<Promise<unknown>>): Promise<void>
}

const timerMsMax = 2 ** 31 - 1

export function makeBell(): Bell {
  let rung = new Set<News>()
  let wake: (() => void) | undefined
  return {
    ring(news) {
      rung.add(news)
      wake?.()
    },
    isRung: () => rung.size > 0,
    take() {
      const taken = rung
      rung = new Set()
      return taken
    },
    async wait(ms, others) {
      if (rung.size > 0 || ms <= 0) return
      let timer: NodeJS.Timeout | undefined
      const next = new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, Math.min(ms, timerMsMax))
      })
      await Promise.race([next, ...others])
      clearTimeout(timer)
      wake = undefined
    },
  }
}
