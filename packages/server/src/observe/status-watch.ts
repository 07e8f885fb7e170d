/** Samples the metrics every few seconds while a client reads the status, and not otherwise. */

import type { MetricFamily } from './metric-family.ts'
import { deltaBetween, type MetricsSnapshot, takeSnapshot } from './metrics-delta.ts'
import { lookEveryMs, makeStatus, pointOf, routesSeconds, type Status, type StatusPoint } from './status.ts'

/** The families of all processes; counting of requests continues for `lookMs`. */
export type GatherFamilies = (lookMs: number) => Promise<readonly MetricFamily[]>

export type StatusWatch = {
  /** The current status. The first sample has no rates: those need two. */
  status(): Promise<Status>
  stop(): void
}

/** Sampling stops when no client has asked for so long. */
const patienceMs = 30_000
const seriesMax = 150
const looksMax = 1 + (routesSeconds * 1000) / lookEveryMs

type StatusWatchDeps = { readonly gather: GatherFamilies; readonly now?: () => number }

export function makeStatusWatch({ gather, now = Date.now }: StatusWatchDeps): StatusWatch {
  let looks: MetricsSnapshot[] = []
  let series: StatusPoint[] = []
  let timer: NodeJS.Timeout | undefined
  let askedMs = 0
  let looking: Promise<void> | undefined
  const stamp = () => new Date(now()).toISOString()

  async function look(): Promise<void> {
    const families = await gather(patienceMs * 2)
    const next = takeSnapshot(performance.now(), families)
    const before = looks.at(-1)
    looks = [...looks, next].slice(-looksMax)
    if (before) series = [...series, pointOf(deltaBetween(before, next), stamp())].slice(-seriesMax)
  }
  /** Concurrent callers share one sample. */
  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  function stop(): void {
    clearInterval(timer)
    timer = undefined
    looks = []
    series = []
  }
  async function tick(): Promise<void> {
    if (performance.now() - askedMs > patienceMs) return stop()
    await lookOnce().catch(() => undefined) // the next sample tries again
  }

  return {
    async status() {
      askedMs = performance.now()
      if (!timer) timer = setInterval(() => void tick(), lookEveryMs).unref()
      if (looks.length === 0) await lookOnce()
      const last = looks.at(-1) as MetricsSnapshot
      const span = deltaBetween(looks[0] ?? last, last)
      return makeStatus({ span, series, nowMs: now(), at: stamp() })
    },
    stop,
  }
}
