/**
 * Totals of a service with several processes, which never decrease. The counts of an ended process
 * stay, and one that does not answer counts with its last values. Otherwise programs that compute
 * rates would take a decrease for a restart.
 */
import { joinFamilies, type MetricFamily } from './metric-family.ts'

export type ProcessTotals = {
  /** Sets all counters and gauges of a process. */
  told(process: number, families: readonly MetricFamily[]): void
  /** Drops the gauges of an ended process. */
  ended(process: number): void
  sum(): MetricFamily[]
}

export function makeProcessTotals(): ProcessTotals {
  const known = new Map<number, readonly MetricFamily[]>()
  let gone: readonly MetricFamily[] = []
  return {
    told: (process, families) => void known.set(process, families),
    ended(process) {
      const counted = (known.get(process) ?? []).filter(({ kind }) => kind !== 'gauge')
      known.delete(process)
      gone = joinFamilies([gone, counted])
    },
    sum: () => joinFamilies([...known.values(), gone]),
  }
}
