/**
 * Requests by what was asked and what came of it. Nothing a client writes is a label: a route is counted under its template, a path that
 * nobody knows under one name, and methods and kinds of callers are closed lists.
 */
import type { Family, Sample, Spread } from './family.ts'
import { type Histogram, makeHistogram, secondsBounds, shortBounds } from './histogram.ts'
import { type RequestNote, type Stage, type StageWatch, stages } from './request-note.ts'

const methods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'] as const
const callers = ['anonymous', 'user', 'key'] as const
/** The label of a path that is no route. */
const noRoute = 'none'

export type Answered = { readonly method: string; readonly status: number; readonly ms: number }

export type RequestCounts = StageWatch & {
  answered(note: RequestNote, answered: Answered): void
  read(): Family[]
}

/** `counts`: by a number made of status, method and caller, so that counting makes no text. */
type OfRoute = { readonly counts: Map<number, number>; readonly times: Map<number, Histogram> }

const perMethod = 4
const perStatus = 64

function methodOf(method: string): number {
  const at = (methods as readonly string[]).indexOf(method)
  return at === -1 ? methods.length - 1 : at
}

function countsOf(route: string, { counts }: OfRoute): Sample[] {
  return [...counts].map(([key, value]) => {
    const method = methods[Math.floor((key % perStatus) / perMethod)] as string
    const status = String(Math.floor(key / perStatus))
    return { labels: { route, method, status, principal: callers[key % perMethod] as string }, value }
  })
}

function timesOf(route: string, { times }: OfRoute): Spread[] {
  return [...times].map(([method, histogram]) => histogram.read({ route, method: methods[method] as string }))
}

export function makeRequestCounts(): RequestCounts {
  const routes = new Map<string, OfRoute>()
  const steps = new Map<Stage, Histogram>(stages.map((stage) => [stage, makeHistogram(shortBounds)]))

  function endStage(note: RequestNote, stage: Stage): void {
    const nowMs = performance.now()
    steps.get(stage)?.add((nowMs - note.lastMs) / 1000)
    note.lastMs = nowMs
  }
  function endRequest({ route = noRoute, caller }: RequestNote, { method, status, ms }: Answered): void {
    let of = routes.get(route)
    if (!of) {
      of = { counts: new Map(), times: new Map() }
      routes.set(route, of)
    }
    const at = methodOf(method)
    const key = status * perStatus + at * perMethod + callers.indexOf(caller)
    of.counts.set(key, (of.counts.get(key) ?? 0) + 1)
    let times = of.times.get(at)
    if (!times) {
      times = makeHistogram(secondsBounds)
      of.times.set(at, times)
    }
    times.add(ms / 1000)
  }

  return {
    ended: endStage,
    answered: endRequest,
    read: () => [
      {
        name: 'bindery_http_requests_total',
        help: 'Requests that were answered, by route, method, status and kind of caller; 499 where the client left before.',
        kind: 'counter',
        across: 'sum',
        samples: [...routes].flatMap(([route, of]) => countsOf(route, of)),
      },
      {
        name: 'bindery_http_request_duration_seconds',
        help: 'From the end of the headers to the last byte handed over.',
        kind: 'histogram',
        bounds: secondsBounds,
        samples: [...routes].flatMap(([route, of]) => timesOf(route, of)),
      },
      {
        name: 'bindery_stage_duration_seconds',
        help: 'Time of a request in each step of its journey; answers that were kept end with admit.',
        kind: 'histogram',
        bounds: shortBounds,
        samples: [...steps].map(([stage, histogram]) => histogram.read({ stage })),
      },
    ],
  }
}
