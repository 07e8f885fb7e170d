/**
 * The numbers of several processes as those of one service, whatever becomes of the processes: what
 * one has counted stays counted when it ends, and one that is late counts as it was. So no sum goes
 * back, which those who compute rates would take for a start anew.
 */
import { joinFamilies, type MetricFamily } from './metric-family.ts'

export type ProcessTotals = {
  /** All that a process has counted so far, and holds. */
  told(process: number, families: readonly MetricFamily[]): void
  /** What it held is gone with it. */
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
