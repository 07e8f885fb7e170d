/** Every path that the server answers: resources, authentication, GraphQL, documents and health. */

import type { ServedEngine } from '../accounts/served-engine.ts'
import { countedAddress } from '../accounts/throttles/counted-address.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import { ApiError, StartError } from '../errors.ts'
import { assetsPath } from '../graphql/graphiql.ts'
import { type Graphql, makeGraphql } from '../graphql/graphql.ts'
import { scalarsPath } from '../graphql/schema/scalars.ts'
import { makeScalarsPage } from '../graphql/schema/scalars-page.ts'
import type { TakeRate } from '../http/identify-caller.ts'
import { makeFaultLog } from '../http/logs/fault-log.ts'
import type { Log } from '../http/logs/log.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import { bytesOf, jsonType } from '../http/messages/exchange.ts'
import { problemsPath } from '../http/messages/problem.ts'
import { makeProblemPage } from '../http/pages/problem-page.ts'
import type { HttpRoute } from '../http/server.ts'
import type { AnswerFile } from '../kept/answer-file.ts'
import { makeKeptAnswers } from '../kept/kept-answers.ts'
import type { Limits } from '../limits.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import { atAddress, makeByAddress } from '../openapi/server-address.ts'
import { healthRoutes, type ServingState } from '../pages/health-routes.ts'
import { makePageRoutes } from '../pages/page-routes.ts'
import { statusRoutes } from '../pages/status-route.ts'
import { deprecationOf } from '../resource/words/deprecation.ts'
import { type AuthRoute, makeAuthRoutes } from '../rest/accounts/auth-routes.ts'
import { makeFactorRoutes } from '../rest/accounts/factor-routes.ts'
import { jwksPath, makeAnswerJwks } from '../rest/accounts/jwks.ts'
import { makeOidcRoutes } from '../rest/accounts/oidc-routes.ts'
import { deprecationHeaders } from '../rest/deprecation-headers.ts'
import { makeFindRoute } from '../rest/find-route.ts'
import { type Journey, travel } from '../rest/journey.ts'
import { printEnd } from '../rest/lists/page-form.ts'
import { makeSummaryRoutes } from '../rest/lists/summary-routes.ts'
import { batchPath, makeBulkRoutes, makeRoutes, makeUpsertRoutes, type Route } from '../rest/route.ts'
import { answerBatch } from '../rest/writes/batch.ts'
import { accountPages, recoveryOf } from './account-routes.ts'
import type { BackupLook } from './figures/backup-figures.ts'
import { keptFamilies } from './figures/kept-figures.ts'
import type { Observing } from './figures/observing.ts'
import type { LogCopies } from './log-copies.ts'
import { mcpRoutes } from './mcp-route.ts'
import { makeRate } from './rate-limit.ts'

function documentRoutes(engine: ServedEngine): HttpRoute[] {
  let text: string | undefined
  const problems = makeProblemPage()
  const documentAt = makeByAddress((address) => {
    text ??= JSON.stringify(makeOpenapi(engine.catalog, engine.settings))
    const body = bytesOf(atAddress(text, address))
    return { body, etag: etagOfBytes(body) }
  })
  return [
    { methods: ['GET'], path: problemsPath, answer: async () => problems },
    {
      methods: ['GET'],
      path: '/openapi.json',
      async answer(request) {
        const { body, etag } = documentAt(request)
        const headers = { 'content-type': jsonType, 'cache-control': 'no-cache', etag }
        return unlessKnown(request, { status: 200, headers, body })
      },
    },
  ]
}

function graphqlRoutes(graphql: Graphql): HttpRoute[] {
  const scalars = makeScalarsPage()
  return [
    { methods: ['GET'], path: scalarsPath, answer: async () => scalars },
    { methods: ['GET', 'POST'], path: '/graphql', answer: graphql.answer },
    {
      methods: ['GET'],
      path: `${assetsPath}/:file`,
      async answer({ parameters }) {
        const asset = graphql.asset(parameters.file ?? '')
        if (!asset) throw new ApiError('not-found', 'Not found')
        return asset
      },
    },
  ]
}

type Answered = Pick<HttpRoute, 'path' | 'answer'> & { readonly method: HttpRoute['methods'][number] }

function served({ method, path, answer }: Answered): HttpRoute {
  return { methods: [method], path, answer }
}

function oidcRoutes({ identity, catalog }: ServedEngine, config: Config, takeRate: TakeRate | undefined): AuthRoute[] {
  const { federation } = identity
  if (!federation || !catalog.linkedAccount) return []
  const { cookieSecure, corsOrigins, publicUrl } = config
  const linked = catalog.linkedAccount.resource
  return makeOidcRoutes({ federation, identity, takeRate, cookieSecure, corsOrigins, publicUrl, linked })
}

/** Counted by address before anything else is done, but where a credential says who asks: `callerOf` counts those. */
function countedAuth({ method, path, answer, byCaller }: AuthRoute, takeRate: TakeRate | undefined): HttpRoute {
  if (byCaller || !takeRate) return served({ method, path, answer })
  return served({
    method,
    path,
    async answer(request) {
      await takeRate(countedAddress(request.address), 'auth', request.tell)
      return answer(request)
    },
  })
}

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
function refuseTaken(declared: readonly Route[], own: readonly HttpRoute[]): void {
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

export function makeHttpRoutes(engine: ServedEngine, config: Config, parts: ServingParts): HttpRoute[] {
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
  const { sessions, factors } = engine.identity
  const { cookieSecure, corsOrigins } = config
  const recovery = recoveryOf(engine)
  const auth = sessions ? makeAuthRoutes({ sessions, recovery, cookieSecure, corsOrigins }) : []
  const factorRoutes =
    factors && engine.catalog.factor
      ? makeFactorRoutes({
          identity: engine.identity,
          factors,
          resource: engine.catalog.factor,
          takeRate: journey.takeRate,
          cookieSecure,
          corsOrigins,
        })
      : []
  const answerJwks = makeAnswerJwks(engine.identity)
  const declared = [...makeRoutes(engine.catalog), ...makeSummaryRoutes(engine.catalog)]
  const ofCollections = [...makeBulkRoutes(engine.catalog), ...makeUpsertRoutes(engine.catalog)]
  const findRoute = makeFindRoute(declared)
  const batching = { ...journey, findRoute: makeFindRoute([...declared, ...ofCollections]) }
  const batch: HttpRoute['answer'] = (request) => answerBatch(batching, request)
  const own: HttpRoute[] = [
    ...[...auth, ...factorRoutes, ...oidcRoutes(engine, config, journey.takeRate)].map((route) =>
      countedAuth(route, journey.takeRate),
    ),
    ...(answerJwks ? [served({ method: 'GET', path: jwksPath, answer: async (request) => answerJwks(request) })] : []),
    ...makePageRoutes(engine, ownVersion()),
    ...accountPages(recovery, declared),
    { methods: ['POST'], path: batchPath, answer: batch },
    ...mcpRoutes(config, { journey, routes: declared, findRoute, batch, log }),
    ...graphqlRoutes(graphql),
    ...documentRoutes(engine),
    ...healthRoutes({ journey, state, backupLook, copiesAge: copies.age }),
    ...statusRoutes({ journey, status: observing.status }),
  ]
  refuseTaken(declared, own)
  const answers = [...declared, ...ofCollections].map(
    (route): HttpRoute => ({
      methods: route.target.operation === 'list' ? [route.method, 'QUERY'] : [route.method],
      path: route.path,
      answer: telling(route, (request) => travel(journey, route, request)),
    }),
  )
  return [...answers, ...own]
}
