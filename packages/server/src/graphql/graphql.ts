/**
 * GraphQL over HTTP: `/graphql`, by the draft specification of that name. `graphql-http` implements the protocol. Limits are checked
 * cheapest first: bytes, tokens, validity, then depth, aliases and cost.
 */
import { GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql'
import { createHandler, type Handler, type OperationArgs, type Request, type Response } from 'graphql-http'
import { ApiError } from '../errors.ts'
import { errorHeaders, statusOf } from '../http/error-answer.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/exchange.ts'
import { identifyCaller, type TakeRate } from '../http/identify-caller.ts'
import { type Engine, onBehalf } from '../perform/engine.ts'
import { answerTypes, chooseType } from './accept.ts'
import { withinSize } from './answer-size.ts'
import type { Context } from './context.ts'
import { makeDocuments } from './document.ts'
import { executeKnown } from './execute.ts'
import { type Graphiql, makeGraphiql } from './graphiql.ts'
import { representError, representRequestError } from './graphql-error.ts'
import { checkLimits } from './limit.ts'
import { makeLoad } from './load.ts'
import { makeSchema } from './make-schema.ts'
import { readParams } from './request-params.ts'

export type GraphqlOptions = {
  readonly engine: Engine
  /** Receives bugs and faults, which callers are told nothing about. */
  onFault(error: unknown): void
  /** Counts a request towards its client's rate. Throws `too-many-requests`. */
  readonly takeRate?: TakeRate | undefined
}
export type Graphql = {
  readonly schema: GraphQLSchema
  answer(request: HttpRequest): Promise<HttpResponse>
  /** A file of the GraphiQL page, which `answer` sends to browsers. */
  readonly asset: Graphiql['asset']
}

type Raw = { readonly request: HttpRequest; readonly context: Context }
type Asked = Request<Raw, unknown>
/** graphql-http accepts only contexts with an index signature; ours has named properties. */
type Handed = Context & Record<PropertyKey, unknown>

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal', 'Internal server error')
}

function answerError(error: ApiError): HttpResponse {
  return json(statusOf(error), { errors: [representRequestError(error)] }, errorHeaders(error))
}

/** An HTTP error such as 413 or 415 is sent with its own status; `bad-request` is left to graphql-http. */
function asResponse(error: unknown, onFault: GraphqlOptions['onFault']): Response {
  if (error instanceof ApiError && error.code === 'bad-request') throw error
  if (!(error instanceof ApiError)) onFault(error)
  const { status, headers, body } = answerError(asApiError(error))
  return [body as string, { status, statusText: '', headers: headers as Record<string, string> }]
}

const mutationByGet = new ApiError('method-not-allowed', 'Mutations are sent by POST', { allow: ['POST'] })
const notAcceptable = new ApiError('not-acceptable', `The answer is ${answerTypes.toReversed().join(' or ')}`)

/** graphql-http refuses a mutation by GET without a content type: such a refusal gets our error shape. Errors are never cached. */
function toResponse([body, { status, headers }]: Response, cacheControl: string): HttpResponse {
  if (status === 405 && headers?.['content-type'] === undefined) return answerError(mutationByGet)
  return { status, headers: { 'cache-control': status < 400 ? cacheControl : 'no-store', ...headers }, body }
}

function wantsPage({ method, headers, query }: HttpRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && (headers.accept ?? '').toLowerCase().includes('text/html') && !/(^|&)query=/.test(query)
}

function makeHandler(schema: GraphQLSchema, onFault: GraphqlOptions['onFault']): Handler<Raw, unknown> {
  const documents = makeDocuments(schema)

  function prepare(
    request: Asked,
    params: { query: string; operationName?: string | null; variables?: object | null },
  ): OperationArgs<Handed> | readonly GraphQLError[] {
    const known = documents.read(params.query)
    if (!('document' in known)) return known
    const { document } = known
    const variableValues = (params.variables ?? {}) as Record<string, unknown>
    const operation = getOperationAST(document, params.operationName)
    if (operation) checkLimits(schema, { document, operation, variables: variableValues })
    const contextValue = request.raw.context as Handed
    return { schema, document, operationName: params.operationName, variableValues, contextValue }
  }

  return createHandler<Raw, unknown, Handed>({
    parseRequestParams: (request) =>
      readParams(request.raw.request).catch((error: unknown) => asResponse(error, onFault)),
    onSubscribe(request, params) {
      try {
        return prepare(request, params)
      } catch (error) {
        if (error instanceof GraphQLError) return [error]
        throw error
      }
    },
    execute: (async (args: OperationArgs<Handed>) =>
      withinSize(await executeKnown(documents.knownOf(args.document), args), args)) as never,
    formatError: (error) => representError(error, onFault) as unknown as Error,
  })
}

/** Throws `StartError` for declarations that make no valid schema. */
export function makeGraphql({ engine, onFault, takeRate }: GraphqlOptions): Graphql {
  const schema = makeSchema(engine.catalog, engine.settings)
  const handle = makeHandler(schema, onFault)
  const graphiql = makeGraphiql()

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    if (wantsPage(request)) return graphiql.page()
    const { principal, asker, cacheControl } = await identifyCaller({ identity: engine.identity, takeRate }, request, {
      machine: false,
    })
    const own = onBehalf(engine, asker)
    const context: Context = { engine: own, principal, load: makeLoad(own, principal) }
    const accept = chooseType(request.headers.accept)
    if (accept === undefined) throw notAcceptable
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const asked: Asked = {
      method,
      url: request.path,
      headers: { ...request.headers, accept }, // graphql-http ignores weights
      body: null,
      raw: { request, context },
      context: undefined,
    }
    return toResponse(await handle(asked), cacheControl)
  }

  return {
    schema,
    asset: graphiql.asset,
    async answer(request) {
      try {
        return await answer(request)
      } catch (error) {
        if (!(error instanceof ApiError)) onFault(error)
        return answerError(asApiError(error))
      }
    },
  }
}
