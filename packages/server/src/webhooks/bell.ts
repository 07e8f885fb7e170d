/** Tells the run of an endpoint that there is something new: changes, or the endpoint itself. */

export type Bell = {
  ring(): void
  isRung(): boolean
  /** Whether it rang since it was last taken. */
  take(): boolean
  /** Resolves at the next ring, after this time, or when one of the others does. */
  wait(ms: number, others: Iterable<Promise<unknown>>): Promise<void>
}

const timerMsMax = 2 ** 31 - 1

export function makeBell(): Bell {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isRung = true
      wake?.()
    },
    isRung: () => isRung,
    take() {
      const was = isRung
      isRung = false
      return was
    },
    async wait(ms, others) {
      if (isRung || ms <= 0) return
      let timer: NodeJS.Timeout | undefined
      const rung = new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, Math.min(ms, timerMsMax))
      })
      await Promise.race([rung, ...others])
      clearTimeout(timer)
      wake = undefined
    },
  }
}
