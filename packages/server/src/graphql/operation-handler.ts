/**
 * The handler of one GraphQL operation: `graphql-http` with our limits, executor and errors. Limits
 * are checked cheapest first: tokens, validity, then depth, aliases and cost.
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
import { errorHeaders, statusOf } from '../http/messages/error-response.ts'
import { type HttpResponse, json } from '../http/messages/exchange.ts'
import { endStage, type RequestMeasurements } from '../observe/request-measurements.ts'
import { listOf } from '../resource/words/names.ts'
import type { ResponseType } from './accept.ts'
import type { GraphqlContext } from './context.ts'
import { withinSize } from './documents/answer-size.ts'
import type { DocumentCache } from './documents/document.ts'
import { checkLimits } from './documents/limit.ts'
import { executeDocument } from './execute.ts'
import { causeOf, isRefusal, representError, representRequestError } from './graphql-error.ts'
import type { GraphqlRequest } from './graphql-request.ts'

/** Receives every error of a request or a field. */
export type OnGraphqlError = (error: ApiError, requestId: string | undefined) => void

export type RawContext = {
  readonly context: GraphqlContext
  readonly accept: ResponseType
  readonly params: GraphqlRequest['params']
  /** Called with the result of a query without errors. */
  readonly found: () => void
  readonly note: RequestMeasurements | undefined
  readonly requestId: string
}
export type HttpGraphqlRequest = Request<RawContext, unknown>
/** graphql-http accepts only contexts with an index signature; ours has named properties. */
type HandlerContext = GraphqlContext & Record<PropertyKey, unknown>

const operationNameMax = 100
const operationsShownMax = 10

/**
 * The error in the media type that the client prefers. Some clients take JSON with an error status
 * for a response of another server.
 */
export function answerError(error: ApiError, type: ResponseType): HttpResponse {
  const headers = { 'content-type': `${type}; charset=utf-8`, vary: 'Accept', ...errorHeaders(error) }
  return json(statusOf(error), { errors: [representRequestError(error)] }, headers)
}

/**
 * An HTTP error such as 413 or 415 is sent with its own status; `bad-request` is left to
 * graphql-http.
 */
function asResponse(thrown: unknown, { accept, requestId }: RawContext, onError: OnGraphqlError): Response {
  if (thrown instanceof GraphQLError || (thrown instanceof ApiError && thrown.code === 'bad-request')) throw thrown
  const error = toApiError(thrown)
  onError(error, requestId)
  const { status, headers, body } = answerError(error, accept)
  return [body as string, { status, statusText: '', headers: headers as Record<string, string> }]
}

/** Notes the name of the operation: letters, digits and underscores, as the parser allows. */
export function noteOperation(note: RequestMeasurements | undefined, name: string | undefined): void {
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

export type TellError = (error: Readonly<Error>, requestId: string | undefined) => void

export function makeTell(onError: OnGraphqlError): TellError {
  /**
   * Errors of fields that were already reported with their request. graphql-http shows each of them
   * once more, without it.
   */
  const told = new WeakSet<Readonly<Error>>()

  return (error, requestId) => {
    const cause = causeOf(error)
    if (!told.has(error) && (cause instanceof ApiError || !isRefusal(error))) onError(toApiError(cause), requestId)
    told.add(error)
  }
}

const needsEvents = new ApiError(
  'bad-request',
  'Subscriptions are answered with events: send Accept: text/event-stream',
)

type HandlerDeps = { readonly onError: OnGraphqlError } & {
  readonly schema: GraphQLSchema
  readonly documents: DocumentCache
  readonly tell: TellError
}

export function makeHandler({ schema, documents, tell, onError }: HandlerDeps): Handler<RawContext, unknown> {
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
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw needsEvents
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
