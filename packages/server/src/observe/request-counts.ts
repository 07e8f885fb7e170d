/**
 * Counts requests by route and outcome. Labels contain no text of clients. A route counts under its
 * template, an unknown path under one name, and methods and kinds of callers are closed lists.
 */

import { type Histogram, makeHistogram, secondsBounds, shortBounds } from './histogram.ts'
import { counter, type HistogramSample, histogram, type MetricFamily, type MetricSample } from './metric-family.ts'
import {
  type RequestMeasurements,
  type RequestStage,
  requestStages,
  type StageListener,
} from './request-measurements.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const otherMethod = 'other'
/** The label of a path without a route. */
const noRoute = 'none'

export type AnsweredRequest = { readonly method: string; readonly status: number; readonly ms: number }

export type RequestCounts = {
  /**
   * For a request that begins; undefined where its steps are not timed, because those of another
   * have just been.
   */
  stageWatch(startedMs: number): StageListener | undefined
  answered(note: RequestMeasurements, answered: AnsweredRequest): void
  read(): MetricFamily[]
}

/**
 * Timing a step costs a clock reading: of all requests that begin within this time, only one is
 * timed.
 */
const timedEveryMs = 1

/** The outcomes of one route, method, status and kind of caller. */
type RequestOutcome = { readonly status: number; readonly caller: RequestMeasurements['caller']; count: number }
type MethodCounts = {
  readonly method: string
  readonly times: Histogram
  readonly outcomes: RequestOutcome[]
  /** The latest one, which mostly comes again. */
  last: RequestOutcome | undefined
}
type RouteCounts = Map<string, MethodCounts>

function makeOfMethod(method: string): MethodCounts {
  return { method, times: makeHistogram(secondsBounds), outcomes: [], last: undefined }
}

function outcomeOf(of: MethodCounts, status: number, caller: RequestMeasurements['caller']): RequestOutcome {
  const { last } = of
  if (last && last.status === status && last.caller === caller) return last
  let found = of.outcomes.find((one) => one.status === status && one.caller === caller)
  if (!found) {
    found = { status, caller, count: 0 }
    of.outcomes.push(found)
  }
  of.last = found
  return found
}

function countsOf(route: string, of: RouteCounts): MetricSample[] {
  return [...of.values()].flatMap(({ method, outcomes }) =>
    outcomes.map(({ status, caller, count }) => ({
      labels: { route, method, status: String(status), principal: caller },
      value: count,
    })),
  )
}

function timesOf(route: string, of: RouteCounts): HistogramSample[] {
  return [...of.values()].map(({ method, times }) => times.read({ route, method }))
}

export function makeRequestCounts(): RequestCounts {
  const routes = new Map<string, RouteCounts>()
  const steps = Object.fromEntries(requestStages.map((stage) => [stage, makeHistogram(shortBounds)])) as Record<
    RequestStage,
    Histogram
  >

  function ofMethod(route: string, sent: string): MethodCounts {
    let of = routes.get(route)
    if (!of) {
      of = new Map()
      routes.set(route, of)
    }
    const known = of.get(sent)
    if (known) return known
    const method = methods.has(sent) ? sent : otherMethod
    let found = of.get(method)
    if (!found) {
      found = makeOfMethod(method)
      of.set(method, found)
    }
    return found
  }

  const stageWatch: StageListener = {
    ended(note, stage) {
      const nowMs = performance.now()
      steps[stage].add((nowMs - note.lastMs) / 1000)
      note.lastMs = nowMs
    },
  }
  let timedMs = Number.NEGATIVE_INFINITY

  return {
    stageWatch(startedMs) {
      if (startedMs - timedMs < timedEveryMs) return undefined
      timedMs = startedMs
      return stageWatch
    },
    answered({ route = noRoute, caller }, { method, status, ms }) {
      const of = ofMethod(route, method)
      outcomeOf(of, status, caller).count += 1
      of.times.add(ms / 1000)
    },
    read: () => [
      counter(
        'bindery_http_requests_total',
        'Requests that were answered, by route, method, status and kind of caller; 499 where the client left before.',
        [...routes].flatMap(([route, of]) => countsOf(route, of)),
      ),
      histogram('bindery_http_request_duration_seconds', 'From the end of the headers to the last byte handed over.', {
        bounds: secondsBounds,
        samples: [...routes].flatMap(([route, of]) => timesOf(route, of)),
      }),
      histogram(
        'bindery_stage_duration_seconds',
        'Time of a request in each step of its journey, of one request a millisecond; answers that were kept end with admit.',
        { bounds: shortBounds, samples: requestStages.map((stage) => steps[stage].read({ stage })) },
      ),
    ],
  }
}
