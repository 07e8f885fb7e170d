/**
 * Every path that the server answers: those of the declarations, and those that belong to no
 * resource.
 */

import { accountNeeds } from '../accounts/account-needs.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { logInForm } from '../accounts/sessions/log-in-form.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import { StartError } from '../errors.ts'
import { makeGraphql } from '../graphql/graphql.ts'
import { makeScalarsPage } from '../graphql/schema/scalars-page.ts'
import { makeFaultLog } from '../http/logs/fault-log.ts'
import type { Log } from '../http/logs/log.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { ServedRoute } from '../http/serve-route.ts'
import type { HttpRoute } from '../http/server.ts'
import type { AnswerFile } from '../kept/answer-file.ts'
import { makeKeptAnswers } from '../kept/kept-answers.ts'
import type { Limits } from '../limits.ts'
import { documentNeeds } from '../openapi/document-route.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import type { ServingState } from '../pages/health-routes.ts'
import { pageNeeds } from '../pages/page-routes.ts'
import { makeStatusPage } from '../pages/status-page.ts'
import { deprecationOf } from '../resource/words/deprecation.ts'
import { deprecationHeaders } from '../rest/deprecation-headers.ts'
import { makeFindRoute } from '../rest/find-route.ts'
import { type Journey, travel } from '../rest/journey.ts'
import { printEnd } from '../rest/lists/page-form.ts'
import { makeSummaryRoutes } from '../rest/lists/summary-routes.ts'
import { makeBulkRoutes, makeRoutes, makeUpsertRoutes, type Route } from '../rest/route.ts'
import { answerBatch } from '../rest/writes/batch.ts'
import type { BackupLook } from './figures/backup-figures.ts'
import { keptFamilies } from './figures/kept-figures.ts'
import type { Observing } from './figures/observing.ts'
import type { LogCopies } from './log-copies.ts'
import { mcpNeeds } from './mcp-needs.ts'
import { ownApi, serveOwn } from './own-routes.ts'
import { makeRate } from './rate-limit.ts'

/** Every answer of an operation that is on its way out says so, also a refusal. */
function telling({ target }: Route, answer: HttpRoute['answer']): HttpRoute['answer'] {
  const deprecation = deprecationOf(target.resource, target.operation)
  if (!deprecation) return answer
  const headers = deprecationHeaders(deprecation)
  return (request) => {
    for (const [name, value] of headers) request.tell(name, value)
    return answer(request)
  }
}

/** Throws `StartError` when a resource has a path of the server's own. */
function refuseTaken(declared: readonly Route[], own: readonly ServedRoute[]): void {
  for (const { method, path, target } of declared) {
    if (!own.some((route) => route.path === path && route.methods.includes(method))) continue
    const { writtenIn, name } = target.resource
    throw new StartError(
      `The declarations have mistakes:\n  ${writtenIn}: ${name}: path: "${path}" is taken by the server`,
    )
  }
}

type ServingParts = {
  readonly log: Log
  readonly state: ServingState
  readonly observing: Observing
  readonly backupLook: BackupLook
  readonly copies: LogCopies
  readonly limits: Pick<Limits, 'keptAnswersBytesMax' | 'keptAnswerBytesMax'>
  /** For kept answers; whoever made it closes it. */
  readonly keptFile: AnswerFile
}

/**
 * Each knows of what it was made: a declared route, or the description of one of the server's own.
 */
export function makeHttpRoutes(
  engine: ServedEngine,
  config: Config,
  parts: ServingParts,
): (ServedRoute | ServedRoute<Route>)[] {
  const { log, limits, state, observing, backupLook, copies, keptFile: file } = parts
  const { meter } = observing
  const { keptAnswersBytesMax: bytesMax, keptAnswerBytesMax: answerBytesMax } = limits
  const kept = config.keepAnswers ? makeKeptAnswers({ engine, bytesMax, answerBytesMax, file, printEnd }) : undefined
  if (kept) meter.add(() => keptFamilies(kept))
  const journey: Journey = { engine, takeRate: makeRate(config, engine), kept, inWork: new Set() }
  const logFault = makeFaultLog(log)
  const graphql = makeGraphql({
    engine,
    takeRate: journey.takeRate,
    kept,
    documentsFile: config.graphqlDocuments,
    onError(error, requestId) {
      meter.failed(error)
      logFault(error, requestId)
    },
  })
  const declared = [...makeRoutes(engine.catalog), ...makeSummaryRoutes(engine.catalog)]
  const ofCollections = [...makeBulkRoutes(engine.catalog), ...makeUpsertRoutes(engine.catalog)]
  const findRoute = makeFindRoute(declared)
  const batching = { ...journey, findRoute: makeFindRoute([...declared, ...ofCollections]) }
  const batch = (request: HttpRequest) => answerBatch(batching, request)
  const { identity, catalog, settings } = engine
  const form = logInForm(engine)
  const own = serveOwn(
    {
      ...accountNeeds(engine, config),
      pages: () => pageNeeds(engine, ownVersion(), form),
      mcp: () => mcpNeeds(config, { journey, routes: declared, findRoute, batch, log }),
      graphql: () => ({ graphql, scalars: makeScalarsPage() }),
      scalars: () => ({ graphql, scalars: makeScalarsPage() }),
      batch: () => ({ batch }),
      documents: () => documentNeeds(() => makeOpenapi(catalog, settings, ownApi({ catalog, settings }))),
      status: () => ({ journey, page: makeStatusPage(catalog, form), status: observing.status }),
      health: () => ({ journey, state, backupLook, copiesAge: copies.age }),
    },
    { catalog, settings, identity, takeRate: journey.takeRate },
  )
  refuseTaken(declared, own)
  const answers = [...declared, ...ofCollections].map(
    (route): ServedRoute<Route> => ({
      methods: route.target.operation === 'list' ? [route.method, 'QUERY'] : [route.method],
      path: route.path,
      of: route,
      answer: telling(route, (request) => travel(journey, route, request)),
    }),
  )
  return [...answers, ...own]
}
