/**
 * A log line for the operator about an event that any request may cause. The first one is logged at
 * once; later ones at most once a minute, with their count.
 */

const everyMs = 60_000

export type RepeatedLine = {
  /** Says it, or counts it. */
  tell(line: string): void
  /** It is over: the next time is said at once. */
  end(): void
}

export function makeRepeatedLine(report: (line: string) => void): RepeatedLine {
  let timer: NodeJS.Timeout | undefined
  let untold = 0
  let last = ''

  function tellRest(): void {
    timer = undefined
    if (untold === 0) return
    const times = untold === 1 ? 'once' : `${untold} times`
    untold = 0
    report(`${last} (${times} more since the last line)`)
    wait()
  }
  function wait(): void {
    timer = setTimeout(tellRest, everyMs).unref()
  }
  return {
    tell(line) {
      last = line
      if (timer) {
        untold += 1
        return
      }
      report(line)
      wait()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
      untold = 0
    },
  }
}
