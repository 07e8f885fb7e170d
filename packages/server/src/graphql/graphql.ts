/**
 * GraphQL over HTTP at `/graphql`, by its draft specification, which `graphql-http` implements.
 * Limits are checked cheapest first: bytes, tokens, validity, then depth, aliases and cost.
 */
import type { GraphQLSchema } from 'graphql'
import type { Response } from 'graphql-http'
import { ApiError, toApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { type IdentifiedRequest, identifyRequest, type TakeRate } from '../http/identify-request.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { passLateBody } from '../http/messages/late-body.ts'
import { parsePrefer } from '../http/messages/preferences.ts'
import { byCaller, byCallerAndTenant, joinVary } from '../http/messages/vary.ts'
import { callerOfTargets } from '../http/named-tenant.ts'
import { wantsPage } from '../http/pages/html-page.ts'
import { endStage } from '../observe/request-measurements.ts'
import { type Engine, engineFor, engineWithin } from '../perform/engine.ts'
import { makeReadBudget } from '../perform/read/read-budget.ts'
import type { CacheRecorder, ResponseCache } from '../response-cache/response-cache.ts'
import { chooseType, eventsType, prefersEvents, type ResponseType, responseTypes } from './accept.ts'
import { makeAllowedLoader } from './allowed-loader.ts'
import type { GraphqlContext } from './context.ts'
import { makeDocumentCache } from './documents/document.ts'
import { readSentDocument } from './documents/request-params.ts'
import { makePersistedQueries, readTrustedDocuments, type StoredDocuments } from './documents/stored-documents.ts'
import { type Graphiql, makeGraphiql } from './graphiql.ts'
import { findCached, type GraphqlRequest, readOnce } from './graphql-request.ts'
import {
  answerError,
  type HttpGraphqlRequest,
  makeHandler,
  makeTell,
  noteOperation,
  type OnGraphqlError,
} from './operation-handler.ts'
import { makeRelationLoaders } from './relation-loader.ts'
import { makeSchema } from './schema/make-schema.ts'
import { answerSubscription } from './subscriptions/answer-subscription.ts'
import type { SubscriptionSource } from './subscriptions/subscription-source.ts'

export type GraphqlOptions = {
  readonly engine: EdgeEngine
  /**
   * Receives every error of a request or a field, for metrics, and bugs, which callers are told
   * nothing about.
   */
  readonly onError: OnGraphqlError
  /** Counts a request towards its client's rate. Throws `too-many-requests`. */
  readonly takeRate?: TakeRate | undefined
  /** Undefined where responses are not cached. */
  readonly cache?: ResponseCache | undefined
  /** The file of trusted documents. Without one every document is answered. */
  readonly documentsFile?: string | undefined
  /** Undefined where no resource keeps its changes. */
  readonly subscriptions?: SubscriptionSource | undefined
}
export type Graphql = {
  readonly schema: GraphQLSchema
  answer(request: HttpRequest): Promise<HttpResponse>
  /** A file of the GraphiQL page, which `answer` sends to browsers. */
  readonly asset: Graphiql['asset']
}

type AskedOperation = { readonly caller: IdentifiedRequest; readonly asking: GraphqlRequest }
const budgetWords = { asked: 'The operation', advice: 'ask for fewer records or fields' }
const vary = { plain: joinVary('Accept', byCaller), byTenant: joinVary('Accept', byCallerAndTenant) }
const mutationByGet = new ApiError('method-not-allowed', 'Mutations are sent by POST', { allow: ['POST'] })

function notAcceptable(others: readonly string[]): ApiError {
  return new ApiError('not-acceptable', `The answer is ${[...responseTypes.toReversed(), ...others].join(' or ')}`)
}

/**
 * graphql-http refuses a mutation by GET without a content type: such a refusal gets our error
 * shape. Errors are never cached.
 */
function toResponse(
  [body, { status, headers }]: Response,
  { accept, cacheControl }: GraphqlRequest,
  hasTenants: boolean,
): HttpResponse {
  if (status === 405 && headers?.['content-type'] === undefined) return answerError(mutationByGet, accept)
  const ours = {
    'cache-control': status < 400 ? cacheControl : 'no-store',
    vary: hasTenants ? vary.byTenant : vary.plain,
  }
  return { status, headers: { ...ours, ...headers }, body }
}

/** A query in the address is answered, to a browser too. */
function wantsGraphiql(request: HttpRequest): boolean {
  return wantsPage(request) && !/(^|&)query=/.test(request.query)
}

function contextOf(engine: Engine, { principal, callerNow }: GraphqlRequest): GraphqlContext {
  const loaders = makeRelationLoaders(engine, principal)
  return { engine, principal, callerNow, loaders, allowed: makeAllowedLoader(engine) }
}

/** Finds the caller with its present rights, in the tenant that the request names. */
function makeCallerNow({ policy }: EdgeEngine, caller: IdentifiedRequest, request: HttpRequest) {
  return async () => callerOfTargets(policy, { ...caller, principal: await caller.callerNow() }, request).principal
}

type OperationReader = (
  request: HttpRequest,
  identified: IdentifiedRequest,
  accept: ResponseType,
) => Promise<AskedOperation>

/** Reads the request, whose body may still be on its way. */
function makeOperationReader(engine: EdgeEngine, stored: StoredDocuments): OperationReader {
  return async (request, identified, accept) => {
    const caller = callerOfTargets(engine.policy, identified, request)
    // Ignoring the preference would store a write that was meant as a dry run.
    if (parsePrefer(request.headers.prefer).dryRun)
      throw new ApiError('bad-request', 'GraphQL takes no Prefer: dry-run; a batch does')
    const sent = readSentDocument(request)
    // the handler reports any other error, unless it refuses the request for another reason
    await sent.catch(passLateBody)
    const callerNow = makeCallerNow(engine, identified, request)
    const { principal, cacheControl } = caller
    const asking = { request, accept, principal, callerNow, sent, params: readOnce(sent, stored), cacheControl }
    return { caller, asking }
  }
}

type OnceDeps = Pick<GraphqlOptions, 'engine' | 'cache'> & { readonly handle: ReturnType<typeof makeHandler> }

/** Answers queries and mutations, from the cache where it has the response. */
function makeAnswerOnce({ engine, cache, handle }: OnceDeps): (asked: AskedOperation) => Promise<HttpResponse> {
  /** Runs the request on this engine. The recorder caches the result of a query without errors. */
  async function make(engine: EdgeEngine, asking: GraphqlRequest, recorder?: CacheRecorder): Promise<HttpResponse> {
    const { request, accept } = asking
    const own = recorder?.engine ?? engine
    let isFound = false
    const asked: HttpGraphqlRequest = {
      method: request.method === 'HEAD' ? 'GET' : request.method,
      url: request.path,
      headers: { ...request.headers, accept }, // graphql-http ignores weights
      body: null,
      raw: {
        accept,
        params: asking.params,
        context: contextOf(own, asking),
        found() {
          isFound = true
        },
        note: request.note,
        requestId: request.id,
      },
      context: undefined,
    }
    try {
      const response = toResponse(await handle(asked), asking, engine.policy.tenants !== undefined)
      const { status, headers, body } = response
      if (isFound && status === 200 && typeof body === 'string') {
        const { 'cache-control': _, ...rest } = headers as Record<string, string>
        recorder?.keep({ headers: rest, body, operation: request.note?.operation })
      }
      endStage(request.note, 'represent')
      return isFound ? { ...response, isRead: true } : response
    } finally {
      recorder?.end()
    }
  }

  return async ({ caller, asking }) => {
    const { readClient, cacheControl } = caller
    const { request } = asking
    const { key, answer } = cache && cacheControl !== 'no-store' ? await findCached(cache, asking, readClient) : {}
    if (key !== undefined) endStage(request.note, 'admit')
    if (answer) {
      noteOperation(request.note, answer.operation)
      const { body, source } = answer
      return { status: 200, headers: { 'cache-control': cacheControl, ...answer.headers }, body, source, isRead: true }
    }
    const own = engineWithin(engineFor(engine, caller), makeReadBudget(budgetWords))
    return make(own, asking, key === undefined ? undefined : cache?.record(key, own, { eager: true }))
  }
}

/** Throws `StartError` for declarations that make no valid schema. */
export function makeGraphql(options: GraphqlOptions): Graphql {
  const { engine, onError, takeRate, documentsFile, subscriptions } = options
  const schema = makeSchema(engine.catalog, engine.settings)
  const documents = makeDocumentCache(schema)
  const tell = makeTell(onError)
  const graphiql = makeGraphiql()
  const stored = documentsFile === undefined ? makePersistedQueries() : readTrustedDocuments(documentsFile, schema)
  const readOperation = makeOperationReader(engine, stored)
  const answerOnce = makeAnswerOnce({ ...options, handle: makeHandler({ schema, documents, tell, onError }) })

  async function answerAsEvents(source: SubscriptionSource, request: HttpRequest): Promise<HttpResponse> {
    const begun = await source.begin(request)
    const operation = await readOperation(request, begun.caller, 'application/graphql-response+json')
    const deps = {
      ...{ schema, documents, answerOnce: () => answerOnce(operation) },
      tell: (error: Readonly<Error>) => tell(error, request.id),
    }
    return answerSubscription(deps, begun, operation.asking)
  }

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    if (wantsGraphiql(request)) return graphiql.page()
    if (subscriptions && prefersEvents(request.headers.accept)) return answerAsEvents(subscriptions, request)
    const options = { machine: false, rateClass: 'graphql' } as const
    const identified = await identifyRequest({ identity: engine.identity, takeRate }, request, options)
    const accept = chooseType(request.headers.accept)
    if (accept === undefined) throw notAcceptable(subscriptions ? [eventsType] : [])
    return answerOnce(await readOperation(request, identified, accept))
  }

  return {
    schema,
    asset: graphiql.asset,
    async answer(request) {
      try {
        return await answer(request)
      } catch (thrown) {
        passLateBody(thrown)
        const error = toApiError(thrown)
        onError(error, request.id)
        return answerError(error, chooseType(request.headers.accept) ?? 'application/json')
      }
    },
  }
}
