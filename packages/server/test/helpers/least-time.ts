/** The least time that work takes, for timed tests alone (`*.timed.test.ts`). */

/** The least processor time of many runs, in ms: other work only adds. */
export function leastCpuMs(work: () => unknown, runs = 35): number {
  const took = Array.from({ length: runs }, () => {
    const started = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  })
  return Math.min(...took)
}

/**
 * Repeats work that took too long. Wrong code waits for a known time; correct code does not, but
 * may be slow by chance. Each try of wrong code takes at least `ms`, so one faster try is enough.
 */
export async function inLessThan(ms: number, work: () => Promise<unknown>, triesMax = 5): Promise<void> {
  const took: number[] = []
  while (took.length < triesMax) {
    const sinceMs = performance.now()
    await work()
    took.push(Math.round(performance.now() - sinceMs))
    if ((took.at(-1) as number) < ms) return
  }
  throw new Error(`Never in less than ${ms} ms, but in ${took.join(', ')} ms`)
}
