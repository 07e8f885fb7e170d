/**
 * Computes the status document: requests and their speed, slow routes, and resources that are
 * nearly used up. It uses the same families as the metrics. The console and `bindery top` only
 * display it.
 */

import { secondsBounds } from './histogram.ts'
import type { MetricLabels } from './metric-family.ts'
import { countOf, type MetricsDelta, quantile, samplesOf } from './metrics-delta.ts'

/**
 * The figures of one interval. Rates are per second, times are milliseconds, null without events.
 */
export type StatusPoint = {
  readonly at: string
  readonly requests: number
  /** Responses with 5xx. */
  readonly errors: number
  /** Requests that a limit refused. */
  readonly refused: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  /** The delay of turns of the event loop. */
  readonly loop: number | null
  /** The share of one processor. */
  readonly cpu: number
  readonly memory: number
  readonly connections: number
  /** Committed transactions. */
  readonly writes: number
}

export type RouteStatus = {
  readonly method: string
  readonly route: string
  readonly requests: number
  readonly errors: number
  readonly mean: number
  readonly p95: number | null
}

export type Status = {
  readonly at: string
  readonly version: string
  readonly node: string
  readonly workers: number
  readonly uptimeSeconds: number
  /** The latest interval; null until there are two samples. */
  readonly now: StatusPoint | null
  /** The routes of the last `routesSeconds`, by their total time. */
  readonly routes: readonly RouteStatus[]
  readonly budgets: readonly { readonly name: string; readonly used: number; readonly limit: number }[]
  /** Refused requests since the start, by limit. */
  readonly refusals: Readonly<Record<string, number>>
  readonly logInFailures: number
  readonly kept: Readonly<Record<string, number>>
  readonly database: {
    readonly bytes: Readonly<Record<string, number>>
    readonly pool: Readonly<Record<string, number>>
    readonly lagSeconds: number | null
    readonly slowStatements: number
  }
  /** Seconds since the latest good backup; null where none is known. */
  readonly backupAgeSeconds: number | null
  /** Free space on the disk of the data folder; null where it is not known. */
  readonly diskFreeBytes: number | null
  /** Mails that wait to be sent; null in an application without mails. */
  readonly mailsWaiting: number | null
  readonly series: readonly StatusPoint[]
}

const routesMax = 20
/** The interval of samples. */
export const lookEveryMs = 2_000
/** One interval is too short for routes with few requests. */
export const routesSeconds = 30

const inMs = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.round(seconds * 100_000) / 100
const rounded = (number: number): number => Math.round(number * 1000) / 1000

/** Responses with 5xx by route. */
function faultsOf(span: MetricsDelta): ReadonlyMap<string, number> {
  const faults = new Map<string, number>()
  for (const { labels, value } of span.grownEach('bindery_http_requests_total')) {
    if (!labels.status?.startsWith('5')) continue
    faults.set(routeOf(labels), (faults.get(routeOf(labels)) ?? 0) + value)
  }
  return faults
}

function routeOf({ method = '', route = '' }: MetricLabels): string {
  return `${method} ${route}`
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, number) => all + number, 0)

export function pointOf(span: MetricsDelta, at: string): StatusPoint {
  const times = span.spread('bindery_http_request_duration_seconds')
  const loop = span.last.get('bindery_event_loop_delay_seconds')
  const perSecond = (count: number) => rounded(count / span.seconds)
  return {
    at,
    requests: perSecond(countOf(times)),
    errors: perSecond(sum(faultsOf(span).values())),
    refused: perSecond(span.grown('bindery_refusals_total')),
    p50: inMs(quantile(times, secondsBounds, 0.5)),
    p95: inMs(quantile(times, secondsBounds, 0.95)),
    p99: inMs(quantile(times, secondsBounds, 0.99)),
    loop:
      loop?.kind === 'histogram'
        ? inMs(quantile(span.spread('bindery_event_loop_delay_seconds'), loop.bounds, 0.99))
        : null,
    cpu: perSecond(span.grown('bindery_cpu_seconds_total')),
    memory: span.now('bindery_memory_bytes'),
    connections: span.now('bindery_budget_used', ({ budget }) => budget === 'connections'),
    writes: perSecond(span.spread('bindery_commit_size').sum),
  }
}

function routesOf(span: MetricsDelta): RouteStatus[] {
  const faults = faultsOf(span)
  return span
    .spreadEach('bindery_http_request_duration_seconds')
    .map((times) => {
      const { method = '', route = '' } = times.labels
      const count = countOf(times)
      return {
        seconds: times.sum,
        method,
        route,
        requests: rounded(count / span.seconds),
        errors: rounded((faults.get(routeOf(times.labels)) ?? 0) / span.seconds),
        mean: count === 0 ? 0 : (inMs(times.sum / count) ?? 0),
        p95: inMs(quantile(times, secondsBounds, 0.95)),
      }
    })
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, routesMax)
    .map(({ seconds: _, ...route }) => route)
}

function byLabel(span: MetricsDelta, name: string, label: string): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { labels, value } of samplesOf(span.last.get(name))) {
    const key = labels[label] ?? ''
    found[key] = (found[key] ?? 0) + value
  }
  return found
}

export type StatusParts = {
  /** Over the latest intervals together. */
  readonly span: MetricsDelta
  readonly series: readonly StatusPoint[]
  readonly nowMs: number
  readonly at: string
}

export function makeStatus({ span, series, nowMs, at }: StatusParts): Status {
  const build = samplesOf(span.last.get('bindery_build_info'))[0]?.labels ?? {}
  const limits = byLabel(span, 'bindery_budget_limit', 'budget')
  const only = (name: string) => samplesOf(span.last.get(name))[0]?.value ?? null
  return {
    at,
    version: build.version ?? '',
    node: build.node ?? '',
    workers: span.now('bindery_workers'),
    uptimeSeconds: Math.max(0, Math.round(nowMs / 1000 - span.now('bindery_start_time_seconds'))),
    now: series.at(-1) ?? null,
    routes: span.seconds > 0 ? routesOf(span) : [],
    budgets: Object.entries(byLabel(span, 'bindery_budget_used', 'budget')).map(([name, used]) => ({
      name,
      used,
      limit: limits[name] ?? 0,
    })),
    refusals: byLabel(span, 'bindery_refusals_total', 'by'),
    logInFailures: span.now('bindery_login_failures_total'),
    kept: byLabel(span, 'bindery_kept_answers_total', 'result'),
    database: {
      bytes: byLabel(span, 'bindery_database_bytes', 'part'),
      pool: byLabel(span, 'bindery_pool_connections', 'state'),
      lagSeconds: only('bindery_change_log_lag_seconds'),
      slowStatements: span.now('bindery_slow_statements_total'),
    },
    backupAgeSeconds: only('bindery_backup_age_seconds'),
    diskFreeBytes: only('bindery_disk_free_bytes'),
    mailsWaiting: only('bindery_mails_waiting'),
    series,
  }
}
