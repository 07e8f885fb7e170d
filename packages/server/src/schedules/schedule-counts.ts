/** Metrics of schedules: their moments in this process, and how late their runs begin. */
import { counter, gauge, type MetricFamily } from '../observe/metric-family.ts'

/**
 * `run`: this process left its run. `missed`: it passed without one, whether or not another run
 * makes up for it.
 */
const results = ['run', 'missed'] as const
type MomentResult = (typeof results)[number]

export type ScheduleCounts = {
  add(name: string, result: MomentResult, count: number): void
  began(name: string, lagMs: number): void
  families(): readonly MetricFamily[]
}

export function makeScheduleCounts(names: readonly string[]): ScheduleCounts {
  const counts = new Map(names.map((name) => [name, { run: 0, missed: 0 }]))
  const lags = new Map<string, number>()
  return {
    add(name, result, count) {
      const of = counts.get(name)
      if (of) of[result] += count
    },
    began: (name, lagMs) => void lags.set(name, Math.max(0, lagMs) / 1000),
    families() {
      if (counts.size === 0) return []
      const moments = [...counts].flatMap(([schedule, of]) =>
        results.map((result) => ({ labels: { schedule, result }, value: of[result] })),
      )
      const late = [...lags].map(([schedule, value]) => ({ labels: { schedule }, value }))
      return [
        counter('bindery_schedule_moments_total', 'Moments of schedules: with a run, and missed.', moments),
        gauge('bindery_schedule_lag_seconds', 'How long after its moment the last run began here.', late),
      ]
    },
  }
}
