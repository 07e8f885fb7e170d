/**
 * GraphQL over HTTP at `/graphql`, by its draft specification, which `graphql-http` implements.
 * Limits are checked cheapest first: bytes, tokens, validity, then depth, aliases and cost.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
} from 'graphql'
import { createHandler, type Handler, type OperationArgs, type Request, type Response } from 'graphql-http'
import { ApiError, toApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { type IdentifiedRequest, identifyRequest, type TakeRate } from '../http/identify-request.ts'
import { errorHeaders, statusOf } from '../http/messages/error-response.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/messages/exchange.ts'
import { passLateBody } from '../http/messages/late-body.ts'
import { parsePrefer } from '../http/messages/preferences.ts'
import { byCaller, byCallerAndTenant, joinVary } from '../http/messages/vary.ts'
import { callerOfTargets } from '../http/named-tenant.ts'
import { wantsPage } from '../http/pages/html-page.ts'
import { endStage, type RequestMeasurements } from '../observe/request-measurements.ts'
import { type Engine, engineFor, engineWithin } from '../perform/engine.ts'
import { makeReadBudget } from '../perform/read/read-budget.ts'
import { listOf } from '../resource/words/names.ts'
import type { CacheRecorder, ResponseCache } from '../response-cache/response-cache.ts'
import { chooseType, type ResponseType, responseTypes } from './accept.ts'
import { makeAllowedLoader } from './allowed-loader.ts'
import type { GraphqlContext } from './context.ts'
import { withinSize } from './documents/answer-size.ts'
import { makeDocumentCache } from './documents/document.ts'
import { checkLimits } from './documents/limit.ts'
import { readSentDocument } from './documents/request-params.ts'
import { makePersistedQueries, readTrustedDocuments } from './documents/stored-documents.ts'
import { executeDocument } from './execute.ts'
import { type Graphiql, makeGraphiql } from './graphiql.ts'
import { causeOf, isRefusal, representError, representRequestError } from './graphql-error.ts'
import { findCached, type GraphqlRequest, readOnce } from './graphql-request.ts'
import { makeRelationLoaders } from './relation-loader.ts'
import { makeSchema } from './schema/make-schema.ts'

export type GraphqlOptions = {
  readonly engine: EdgeEngine
  /**
   * Receives every error of a request or a field, for metrics, and bugs, which callers are told
   * nothing about.
   */
  onError(error: ApiError, requestId: string | undefined): void
  /** Counts a request towards its client's rate. Throws `too-many-requests`. */
  readonly takeRate?: TakeRate | undefined
  /** Undefined where responses are not cached. */
  readonly cache?: ResponseCache | undefined
  /** The file of trusted documents. Without one every document is answered. */
  readonly documentsFile?: string | undefined
}
export type Graphql = {
  readonly schema: GraphQLSchema
  answer(request: HttpRequest): Promise<HttpResponse>
  /** A file of the GraphiQL page, which `answer` sends to browsers. */
  readonly asset: Graphiql['asset']
}

type RawContext = {
  readonly context: GraphqlContext
  readonly accept: ResponseType
  readonly params: GraphqlRequest['params']
  /** Called with the result of a query without errors. */
  readonly found: () => void
  readonly note: RequestMeasurements | undefined
  readonly requestId: string
}
type HttpGraphqlRequest = Request<RawContext, unknown>
/** graphql-http accepts only contexts with an index signature; ours has named properties. */
type HandlerContext = GraphqlContext & Record<PropertyKey, unknown>

const budgetWords = { asked: 'The operation', advice: 'ask for fewer records or fields' }
const operationNameMax = 100
const vary = { plain: joinVary('Accept', byCaller), byTenant: joinVary('Accept', byCallerAndTenant) }
const operationsShownMax = 10

/**
 * The error in the media type that the client prefers. Some clients take JSON with an error status
 * for a response of another server.
 */
function answerError(error: ApiError, type: ResponseType): HttpResponse {
  const headers = { 'content-type': `${type}; charset=utf-8`, vary: 'Accept', ...errorHeaders(error) }
  return json(statusOf(error), { errors: [representRequestError(error)] }, headers)
}

/**
 * An HTTP error such as 413 or 415 is sent with its own status; `bad-request` is left to
 * graphql-http.
 */
function asResponse(thrown: unknown, { accept, requestId }: RawContext, onError: GraphqlOptions['onError']): Response {
  if (thrown instanceof GraphQLError || (thrown instanceof ApiError && thrown.code === 'bad-request')) throw thrown
  const error = toApiError(thrown)
  onError(error, requestId)
  const { status, headers, body } = answerError(error, accept)
  return [body as string, { status, statusText: '', headers: headers as Record<string, string> }]
}

const mutationByGet = new ApiError('method-not-allowed', 'Mutations are sent by POST', { allow: ['POST'] })
const notAcceptable = new ApiError('not-acceptable', `The answer is ${responseTypes.toReversed().join(' or ')}`)

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

/** Notes the name of the operation: letters, digits and underscores, as the parser allows. */
function noteOperation(note: RequestMeasurements | undefined, name: string | undefined): void {
  if (note && name !== undefined) note.operation = name.slice(0, operationNameMax)
}

/**
 * The error for an operation name that the document lacks, or for a missing one where there are
 * several.
 */
function noSuchOperation({ definitions }: DocumentNode, asked: string | null | undefined): GraphQLError {
  const named = definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.name ? [one.name.value] : [],
  )
  const known = named.slice(0, operationsShownMax).map((name) => name.slice(0, operationNameMax))
  const has = known.length === 0 ? 'its operations have no name' : `the document has ${listOf(known)}`
  if (asked) return new GraphQLError(`Unknown operation ${asked.slice(0, operationNameMax)}; ${has}`)
  return new GraphQLError(`The document has several operations: send operationName; ${has}`)
}

function makeHandler(
  schema: GraphQLSchema,
  { onError }: Pick<GraphqlOptions, 'onError'>,
): Handler<RawContext, unknown> {
  const documents = makeDocumentCache(schema)
  /**
   * Errors of fields that were already reported with their request. graphql-http shows each of them
   * once more, without it.
   */
  const told = new WeakSet<Readonly<Error>>()

  function tell(error: Readonly<Error>, requestId: string | undefined): void {
    const cause = causeOf(error)
    if (!told.has(error) && (cause instanceof ApiError || !isRefusal(error))) onError(toApiError(cause), requestId)
    told.add(error)
  }

  function prepare(
    request: HttpGraphqlRequest,
    params: { query: string; operationName?: string | null; variables?: object | null },
  ): OperationArgs<HandlerContext> | readonly GraphQLError[] {
    const known = documents.read(params.query)
    if (!('document' in known)) return known
    const { document } = known
    const variableValues = (params.variables ?? {}) as Record<string, unknown>
    const operation = getOperationAST(document, params.operationName)
    if (!operation) throw noSuchOperation(document, params.operationName)
    // Ignoring the header would perform a retry twice. A mutation runs one transaction for each
    // field, and its response covers the whole document.
    if (operation.operation === OperationTypeNode.MUTATION && 'idempotency-key' in request.headers)
      throw new ApiError('bad-request', 'GraphQL mutations take no Idempotency-Key; a batch of REST does')
    const { note } = request.raw
    noteOperation(note, operation.name?.value)
    checkLimits(schema, { document, operation, variables: variableValues })
    const contextValue = request.raw.context as HandlerContext
    endStage(note, 'parse')
    return { schema, document, operationName: params.operationName, variableValues, contextValue }
  }

  return createHandler<RawContext, unknown, HandlerContext>({
    parseRequestParams: ({ raw }) =>
      raw.params().then(
        ({ params }) => params,
        (error: unknown) => asResponse(error, raw, onError),
      ),
    onSubscribe(request, params) {
      try {
        return prepare(request, params)
      } catch (error) {
        if (error instanceof GraphQLError) return [error]
        throw error
      }
    },
    execute: (async (args: OperationArgs<HandlerContext>) =>
      withinSize(await executeDocument(documents.parsedOf(args.document), args), args)) as never,
    onOperation({ raw }, { document, operationName }, result) {
      endStage(raw.note, 'perform')
      const { errors } = result as ExecutionResult
      for (const error of errors ?? []) tell(error, raw.requestId)
      const isQuery = getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY
      if (isQuery && !errors) raw.found()
    },
    formatError(error) {
      tell(error, undefined)
      return representError(error) as unknown as Error
    },
  })
}

function contextOf(engine: Engine, { principal, callerNow }: GraphqlRequest): GraphqlContext {
  const loaders = makeRelationLoaders(engine, principal)
  return { engine, principal, callerNow, loaders, allowed: makeAllowedLoader(engine) }
}

/** Finds the caller with its present rights, in the tenant that the request names. */
function makeCallerNow({ policy }: EdgeEngine, caller: IdentifiedRequest, request: HttpRequest) {
  return async () => callerOfTargets(policy, { ...caller, principal: await caller.callerNow() }, request).principal
}

/** Throws `StartError` for declarations that make no valid schema. */
export function makeGraphql(options: GraphqlOptions): Graphql {
  const { engine, onError, takeRate, cache, documentsFile } = options
  const schema = makeSchema(engine.catalog, engine.settings)
  const handle = makeHandler(schema, options)
  const graphiql = makeGraphiql()
  const stored = documentsFile === undefined ? makePersistedQueries() : readTrustedDocuments(documentsFile, schema)

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

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    if (wantsGraphiql(request)) return graphiql.page()
    const options = { machine: false, rateClass: 'graphql' } as const
    const identified = await identifyRequest({ identity: engine.identity, takeRate }, request, options)
    const caller = callerOfTargets(engine.policy, identified, request)
    const { principal, readClient, cacheControl } = caller
    const accept = chooseType(request.headers.accept)
    if (accept === undefined) throw notAcceptable
    // Ignoring the preference would store a write that was meant as a dry run.
    if (parsePrefer(request.headers.prefer).dryRun)
      throw new ApiError('bad-request', 'GraphQL takes no Prefer: dry-run; a batch does')
    const sent = readSentDocument(request)
    // the handler reports any other error, unless it refuses the request for another reason
    await sent.catch(passLateBody)
    const callerNow = makeCallerNow(engine, identified, request)
    const asking = { request, accept, principal, callerNow, sent, params: readOnce(sent, stored), cacheControl }
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
