/** Gathers all routes that the server serves: those of the declarations, and its own. */

import { accountRouteDeps } from '../accounts/account-needs.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { logInForm } from '../accounts/sessions/log-in-form.ts'
import { logInWaysOf } from '../accounts/sessions/log-in-ways.ts'
import type { Config } from '../config.ts'
import { makeConsolePage } from '../console/console-page.ts'
import { ownVersion } from '../create/own-version.ts'
import { toApiError } from '../errors.ts'
import { feedFamilies } from '../events/feed-figures.ts'
import { makeFeedRoom } from '../events/feed-room.ts'
import { answerLive } from '../events/live/answer-live.ts'
import { type LiveRoom, makeLiveRoom } from '../events/live/live-room.ts'
import { beginFollowing } from '../events/live/subscribe.ts'
import { answerFileRoute } from '../files/file-answers.ts'
import type { FileRoom } from '../files/file-room.ts'
import { asksSigned, readSigned } from '../files/serving/sign-read.ts'
import { isForm, takeForm } from '../files/serving/take-form.ts'
import { makeGraphql } from '../graphql/graphql.ts'
import { makeScalarsPage } from '../graphql/schema/scalars-page.ts'
import { makeFaultLog } from '../http/logs/fault-log.ts'
import type { Log } from '../http/logs/log.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { ServedRoute } from '../http/serve-route.ts'
import type { HttpRoute } from '../http/server.ts'
import type { ServerLimits } from '../limits.ts'
import { documentNeeds } from '../openapi/document-route.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import type { ServingState } from '../pages/health-routes.ts'
import { pageNeeds } from '../pages/page-routes.ts'
import { isBodyKind } from '../resource/operation-kind.ts'
import { deprecationOf } from '../resource/words/deprecation.ts'
import type { CacheFile } from '../response-cache/cache-file.ts'
import { makeResponseCache } from '../response-cache/response-cache.ts'
import { deprecationHeaders } from '../rest/deprecation-headers.ts'
import { type FileRoute, makeFileRoutes, takesSign } from '../rest/file-routes.ts'
import { makeFindRoute } from '../rest/find-route.ts'
import { handleRequest, type RequestPipeline } from '../rest/handle-request.ts'
import { makeDifferenceRoutes } from '../rest/lists/difference-routes.ts'
import { printPageEnding } from '../rest/lists/page-ending.ts'
import { makeSummaryRoutes } from '../rest/lists/summary-routes.ts'
import { asksLive, takesLive } from '../rest/live-routes.ts'
import { makeBulkRoutes, makeRoutes, makeUpsertRoutes, type Route } from '../rest/route.ts'
import { answerBatch } from '../rest/writes/batch.ts'
import { endpointNeeds } from './endpoints/endpoint-needs.ts'
import { engineRoutes, serveEngineRoutes } from './engine-routes.ts'
import type { LogCopies } from './log-copies.ts'
import { mcpNeeds } from './mcp-needs.ts'
import type { ReadBackupState } from './metrics/backup-metrics.ts'
import type { Observability } from './metrics/observability.ts'
import { responseCacheFamilies } from './metrics/response-cache-metrics.ts'
import { operateNeeds } from './operating/operate-needs.ts'
import { makeRate } from './rate-limit.ts'
import type { BackupWork } from './scheduled-backups.ts'

/** Adds deprecation headers to every response of a deprecated operation, also to errors. */
function telling({ target }: Route, answer: HttpRoute['answer']): HttpRoute['answer'] {
  const deprecation = deprecationOf(target.resource, target.operation)
  if (!deprecation) return answer
  const headers = deprecationHeaders(deprecation)
  return (request) => {
    for (const [name, value] of headers) request.tell(name, value)
    return answer(request)
  }
}

/**
 * The answers of a route. Where its records have files, bodies may be forms, and reads may ask for
 * signed addresses.
 */
function withFiles(room: FileRoom | undefined, pipeline: RequestPipeline, route: Route): HttpRoute['answer'] {
  const answer: HttpRoute['answer'] = (request) => handleRequest(pipeline, route, request)
  if (room && takesSign(route))
    return (request) => (asksSigned(request) ? readSigned(pipeline, route, request) : answer(request))
  const { resource, operation } = route.target
  if (!room || route.many || resource.fileNames.length === 0 || !isBodyKind(operation)) return answer
  return (request) => (isForm(request) ? takeForm({ room, pipeline }, route, request) : answer(request))
}

/** Lists of resources whose changes are kept may be asked for live. */
function withLive(
  live: LiveRoom | undefined,
  { pipeline, route }: { readonly pipeline: RequestPipeline; readonly route: Route },
  answer: HttpRoute['answer'],
): HttpRoute['answer'] {
  if (!live || !takesLive(route)) return answer
  return (request) => (asksLive(request) ? answerLive(live, { pipeline, route, request }) : answer(request))
}

/** The bytes of files: none where no field holds them. */
function servedFiles(room: FileRoom | undefined, pipeline: RequestPipeline): ServedRoute<FileRoute>[] {
  if (!room) return []
  return makeFileRoutes(room.engine.catalog).map((route) => ({
    methods: [route.method],
    path: route.path,
    of: route,
    answer: answerFileRoute({ room, pipeline }, route),
  }))
}

type DeclaredAnswersDeps = {
  readonly live: LiveRoom | undefined
  readonly pipeline: RequestPipeline
  readonly files: FileRoom | undefined
}

function declaredAnswers(
  routes: readonly Route[],
  { live, pipeline, files }: DeclaredAnswersDeps,
): ServedRoute<Route>[] {
  return routes.map((route) => ({
    methods: route.target.operation === 'list' ? [route.method, 'QUERY'] : [route.method],
    path: route.path,
    of: route,
    answer: telling(route, withLive(live, { pipeline, route }, withFiles(files, pipeline, route))),
  }))
}

type HttpRoutesDeps = {
  readonly log: Log
  readonly state: ServingState
  readonly observing: Observability
  readonly backupLook: ReadBackupState
  readonly copies: LogCopies
  readonly backups: BackupWork
  readonly isDeveloped: boolean
  readonly limits: Pick<ServerLimits, 'keptAnswersBytesMax' | 'keptAnswerBytesMax'>
  /** Undefined where no field holds files. */
  readonly files: FileRoom | undefined
  /** For cached responses; the caller that opened it closes it. */
  readonly keptFile: CacheFile
}

type LiveRoomDeps = Pick<HttpRoutesDeps, 'state'> & {
  readonly meter: Observability['meter']
  readonly isShared: boolean
  readonly report: LiveRoom['report']
}

/** Undefined where no resource keeps its changes. `watched`: for metrics and findings. */
function openLiveRoom(engine: ServedEngine, { state, meter, isShared, report }: LiveRoomDeps) {
  const room = makeFeedRoom(engine, () => state.draining)
  if (!room) return undefined
  const live = makeLiveRoom(room, engine, report)
  const watched = { room, streams: live.limit.count }
  meter.add(feedFamilies(watched, { isShared }))
  return { live, watched }
}

/** Each route knows its source: a declared route, or the definition of one of the server's own. */
export function makeHttpRoutes(
  engine: ServedEngine,
  config: Config,
  parts: HttpRoutesDeps,
): (ServedRoute | ServedRoute<Route> | ServedRoute<FileRoute>)[] {
  const { log, limits, state, observing, backupLook, copies, backups, keptFile: file } = parts
  const { meter } = observing
  const { keptAnswersBytesMax: bytesMax, keptAnswerBytesMax: answerBytesMax } = limits
  const cache = config.keepAnswers
    ? makeResponseCache({ engine, bytesMax, answerBytesMax, file, printEnd: printPageEnding })
    : undefined
  if (cache) meter.add(() => responseCacheFamilies(cache))
  const logFault = makeFaultLog(log)
  const pipeline: RequestPipeline = { engine, takeRate: makeRate(config, engine), cache, inWork: new Set(), logFault }
  const isShared = config.database.kind.isShared
  const report = (error: unknown) => logFault(toApiError(error), undefined)
  const { live, watched } = openLiveRoom(engine, { state, meter, isShared, report }) ?? {}
  const graphql = makeGraphql({
    engine,
    takeRate: pipeline.takeRate,
    cache,
    documentsFile: config.graphqlDocuments,
    subscriptions: live && { begin: (request) => beginFollowing(live, pipeline, request) },
    onError(error, requestId) {
      meter.failed(error)
      logFault(error, requestId)
    },
  })
  const declared = [makeRoutes, makeSummaryRoutes, makeDifferenceRoutes].flatMap((make) => make(engine.catalog))
  const upserts = makeUpsertRoutes(engine.catalog)
  const ofAgents = [...declared, ...upserts]
  const ofCollections = [...makeBulkRoutes(engine.catalog), ...upserts]
  const batching = { ...pipeline, findRoute: makeFindRoute([...declared, ...ofCollections]) }
  const batch = (request: HttpRequest) => answerBatch(batching, request)
  const endpoints = endpointNeeds({ pipeline, outgoing: engine.outgoing, config, log })
  const { identity, catalog, settings } = engine
  const form = logInForm(engine)
  const own = serveEngineRoutes(
    {
      ...accountRouteDeps(engine, config),
      pages: () => pageNeeds(engine, ownVersion(), form),
      console: () => {
        const facts = { path: settings.consolePath ?? '', declared: catalog.console, isDeveloped: parts.isDeveloped }
        return {
          ...pipeline,
          page: makeConsolePage({ ...facts, logIn: logInWaysOf(engine, config.accounts.mail.links) }),
        }
      },
      mcp: () =>
        mcpNeeds(config, {
          pipeline,
          endpoints: endpoints.ofAgents,
          routes: ofAgents,
          findRoute: makeFindRoute(ofAgents),
          batch,
          files: parts.files,
          log,
        }),
      graphql: () => ({ graphql, scalars: makeScalarsPage() }),
      scalars: () => ({ graphql, scalars: makeScalarsPage() }),
      batch: () => ({ batch }),
      changes: () => live && { room: live.room, takeRate: pipeline.takeRate },
      live: () => live && { live, pipeline, findRoute: makeFindRoute(declared) },
      permissions: () => pipeline,
      resources: () => pipeline,
      uploads: () => parts.files && { room: parts.files, pipeline },
      endpoints: () => endpoints.served,
      documents: () => documentNeeds(() => makeOpenapi(catalog, settings, engineRoutes({ catalog, settings }))),
      status: () => ({ journey: pipeline, status: observing.status }),
      jobs: () => ({ engine }),
      operate: () => operateNeeds(engine, config, { work: backups, feed: watched }),
      health: () => ({ journey: pipeline, state, backupLook, copiesAge: copies.age }),
    },
    { catalog, settings, identity, takeRate: pipeline.takeRate },
  )
  const answers = declaredAnswers([...declared, ...ofCollections], { live, pipeline, files: parts.files })
  return [...answers, ...servedFiles(parts.files, pipeline), ...own]
}
