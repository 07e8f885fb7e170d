/**
 * Routes of the endpoints that an application declares. Documents and the table of routes describe
 * them as they do the routes of the engine.
 */
import { type ErrorCode, errorCodes } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { AnyEndpoint } from '../../resource/endpoints/endpoint-declaration.ts'
import { endpointsOf } from '../../resource/endpoints/endpoint-operations.ts'
import { isBytesOutput, isLinesOutput, mediaTypeOf } from '../../resource/endpoints/endpoint-output.ts'
import type { Field } from '../../resource/fields/field.ts'
import { fieldsSchema, givenSchema } from '../../resource/fields/nested/object.ts'
import { exampleInput, exampleOutput } from '../../resource/words/example.ts'
import { inSentence, labelOf, typeNameOf } from '../../resource/words/names.ts'
import { type DefinedRoute, defineRoute, type RouteGroup, type RouteTag } from '../define-route.ts'
import {
  type DocumentedError,
  type DocumentedResponse,
  documentedResponse,
  type MediaBody,
  mediaBody,
  notModifiedResponse,
} from '../documented-response.ts'
import { type RouteContext, ruleAccess } from '../route-access.ts'
import { type PlacedEndpoint, placeEndpoint } from './endpoint-places.ts'

export type EndpointRouteDeps = {
  answer(placed: PlacedEndpoint, request: HttpRequest): HttpResponse | Promise<HttpResponse>
}

const freeTag: RouteTag = { name: 'Endpoints', description: 'Requests of this application alone.' }

function tagOf(resource: Resource | undefined): RouteTag {
  return resource ? { name: labelOf(resource.plural), description: `Requests about ${resource.plural}.` } : freeTag
}

/** `quoteOrder`, `countOrders`, `priceList` */
function idOf({ declared: { partName, endpoint }, resource }: PlacedEndpoint): string {
  if (!resource) return partName
  return `${partName}${endpoint.on?.record ? resource.typeName : typeNameOf(resource.plural)}`
}

const jsonType = 'application/json'

/** The body as documents show it. */
function inputOf({ input, body, example }: AnyEndpoint): MediaBody | undefined {
  if (body !== undefined) return mediaBody({ '*/*': { schema: {} } })
  if (!input || Object.keys(input).length === 0) return undefined
  return mediaBody({ [jsonType]: { schema: fieldsSchema(input), example: exampleInput(input, example) } })
}

/** The body of the answer; undefined where there is none. */
function outputOf({ output }: AnyEndpoint): MediaBody | undefined {
  if (output === undefined) return undefined
  if (isBytesOutput(output)) return mediaBody({ [mediaTypeOf(output)]: { schema: {} } })
  if (!isLinesOutput(output))
    return mediaBody({ [jsonType]: { schema: givenSchema(output), example: exampleOutput(output) } })
  const names = Object.keys(output.fields).map((name) => `\`${name}\``)
  const schema = { type: 'string', description: `One object a line, with ${names.join(', ')}.` }
  return mediaBody({ 'application/x-ndjson': { schema } })
}

type Answers = Readonly<Record<number, DocumentedResponse<MediaBody>>>

/** A read has a validator, and a write may be a repeat. */
function successOf(endpoint: AnyEndpoint): Answers {
  const body = outputOf(endpoint)
  const isRead = endpoint.method === 'GET'
  const headers = isRead ? (isLinesOutput(endpoint.output) ? [] : ['ETag']) : ['Idempotency-Replayed']
  if (!body) return { 204: documentedResponse('It is done.', { headers: isRead ? [] : headers }) } as unknown as Answers
  const answer = documentedResponse('The answer.', { body, headers })
  return (isRead && headers.length > 0 ? { 200: answer, 304: notModifiedResponse } : { 200: answer }) as Answers
}

/** The codes of every request of this form, and the declared ones. */
function errorsOf(placed: PlacedEndpoint, { catalog }: RouteContext): readonly DocumentedError[] {
  const { endpoint } = placed.declared
  const usual: readonly DocumentedError[] = [
    'bad-request',
    'unauthenticated',
    ...(endpoint.verify ? [] : (['forbidden'] as const)),
    ...(placed.idParameter !== undefined || catalog.tenancies.size > 0 ? (['not-found'] as const) : []),
    ...(endpoint.method === 'POST' ? (['conflict'] as const) : []),
    'too-many-requests',
  ]
  return [...new Set([...usual, ...(Object.keys(endpoint.errors ?? {}) as DocumentedError[])])]
}

const refusal = mediaBody({
  [jsonType]: { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
})

function headersOf(code: ErrorCode): readonly string[] {
  const { waits } = errorCodes[code] as { readonly waits?: true }
  return waits || code === 'conflict' ? ['Retry-After'] : []
}

/** A repeat that meets the first request is told when to try again. */
const conflict = documentedResponse(errorCodes.conflict.about, { body: refusal, headers: ['Retry-After'] })

/** The sentences of declared errors, in place of those that all routes have. */
function refusalsOf({ method, errors = {} }: AnyEndpoint): Readonly<Record<string, DocumentedResponse>> {
  const own = Object.fromEntries(
    Object.entries(errors).map(([code, sentence]) => [
      code,
      documentedResponse(`${errorCodes[code as ErrorCode].title}. Here: ${sentence}`, {
        body: refusal,
        headers: headersOf(code as ErrorCode),
      }),
    ]),
  )
  return method === 'POST' ? { conflict, ...own } : own
}

function parametersOf({ idParameter, resource }: PlacedEndpoint): Readonly<Record<string, Field>> {
  if (idParameter === undefined || !resource) return {}
  const description = `The id of the ${inSentence(resource.label)}.`
  return { [idParameter]: { ...(resource.fields[resource.idField] as Field), description } }
}

/** The last column of the table of routes. */
function answersOf({ output }: AnyEndpoint): string {
  if (output === undefined) return '204'
  if (isBytesOutput(output)) return `200 ${mediaTypeOf(output)}`
  return isLinesOutput(output) ? '200 NDJSON' : `200 ${Object.keys(output).join(', ')}`
}

function isForModels({ body, output }: AnyEndpoint): boolean {
  return body === undefined && !isBytesOutput(output)
}

function descriptionOf({ declared: { endpoint } }: PlacedEndpoint, { catalog, settings }: RouteContext): string {
  const { description, verify, once, limits } = endpoint
  const seconds = limits?.rate === undefined ? [] : [`At most ${limits.rate} requests of one client.`]
  const who = verify
    ? 'its sender, by a signature'
    : endpoint.rule.type.inDocument(endpoint.rule, { catalog, settings })
  return [
    ...(description === undefined ? [] : [description]),
    `Allowed: ${who}.`,
    ...(once ? ['It is done once for each id of its sender.'] : []),
    ...seconds,
  ].join(' ')
}

function routeOf(placed: PlacedEndpoint, context: RouteContext): DefinedRoute<EndpointRouteDeps> {
  const { declared, resource, path, alsoAt } = placed
  const { endpoint, partName } = declared
  const { method, summary, query, rule } = endpoint
  const input = inputOf(endpoint)
  const isSent = Object.values(endpoint.input ?? {}).some(({ required }) => required)
  const who = endpoint.verify ? 'its sender' : rule.type.inTable(rule, { ...context, resource: resource as Resource })
  const line = { operation: resource ? `${partName} ${resource.slug}` : partName, who, answers: answersOf(endpoint) }
  return defineRoute({
    method,
    path,
    ...(alsoAt.length > 0 && { alsoAt }),
    describe: {
      id: idOf(placed),
      ...(!isForModels(endpoint) && { notForModels: true as const }),
      tag: tagOf(resource),
      summary: summary ?? labelOf(partName),
      about: descriptionOf(placed, context),
      line,
    },
    rule: ruleAccess(rule as never),
    ...(resource && { judged: resource }),
    parameters: parametersOf(placed) as never,
    query: query ?? {},
    ...(method === 'POST' && endpoint.body === undefined && { takesKey: true as const }),
    takesTenant: true,
    ...(input && { input, ...(!isSent && endpoint.body === undefined && { isInputOptional: true as const }) }),
    isRaw: true,
    output: successOf(endpoint),
    errors: errorsOf(placed, context),
    refusals: refusalsOf(endpoint),
    run: ({ request }, { answer }: EndpointRouteDeps) => answer(placed, request),
  })
}

export function placedEndpoints({ catalog }: Pick<RouteContext, 'catalog'>): readonly PlacedEndpoint[] {
  return endpointsOf(catalog).map((declared) => placeEndpoint(catalog, declared))
}

export function endpointRoutes(context: RouteContext): RouteGroup<EndpointRouteDeps> {
  return { routes: placedEndpoints(context).map((placed) => routeOf(placed, context)) }
}
