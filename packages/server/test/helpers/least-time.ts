/** How long work takes at the least, for timed tests alone (`*.timed.test.ts`). */

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
