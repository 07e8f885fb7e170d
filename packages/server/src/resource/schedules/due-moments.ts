/**
 * The moments of a schedule that are due, and what to do about missed ones. Of several that are
 * due, all but the latest are missed. The latest is missed too when it was more than a minute ago.
 */
import type { CronMoments } from './cron-moments.ts'

/**
 * `once`: one run makes up for all missed moments. `skip`: none does. `all`: each missed moment has
 * its run.
 */
export const missedRules = ['once', 'skip', 'all'] as const
export type MissedRule = (typeof missedRules)[number]

/** A server that starts again takes less. */
export const onTimeMs = 60_000
/** Of more missed moments, the latest run. */
export const madeUpMax = 1_000

/** `missed`: the earlier moments that it makes up for. */
export type DueRun = { readonly atMs: number; readonly missed: number }
export type DueMoments = {
  /** In their order. */
  readonly runs: readonly DueRun[]
  /** Whether the latest one is due just now. */
  readonly isOnTime: boolean
  /** How many passed without a run, up to `madeUpMax`. */
  readonly missed: number
  /** Whether still more did. */
  readonly isMore: boolean
}

type DueRequest = { readonly rule: MissedRule; readonly sinceMs: number; readonly nowMs: number }

export function dueMoments(moments: CronMoments, { rule, sinceMs, nowMs }: DueRequest): DueMoments {
  const all = moments.between(sinceMs, nowMs, madeUpMax + 1)
  const isMore = all.length > madeUpMax
  const found = all.slice(0, madeUpMax)
  const [latestMs] = found
  if (latestMs === undefined) return { runs: [], isOnTime: false, missed: 0, isMore }
  const isOnTime = nowMs - latestMs <= onTimeMs
  const missed = found.length - (isOnTime ? 1 : 0)
  const told = { isOnTime, missed, isMore }
  const latest = { atMs: latestMs, missed: rule === 'once' ? found.length - 1 : 0 }
  if (rule === 'all') return { ...told, runs: found.toReversed().map((atMs) => ({ atMs, missed: 0 })) }
  return { ...told, runs: rule === 'once' || isOnTime ? [latest] : [] }
}
