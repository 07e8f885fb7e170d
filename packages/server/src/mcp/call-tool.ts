/**
 * The tool `call`: requests to the endpoints that the application declares. It is offered only
 * where the caller may send one. Endpoints with bytes in or out are for programs.
 */

import type { PlacedEndpoint } from '../endpoint/declared/endpoint-places.ts'
import { ApiError } from '../errors.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { makeRouter } from '../http/router.ts'
import { limits } from '../limits.ts'
import type { Engine } from '../perform/engine.ts'
import { judgeEndpointCaller } from '../policy/endpoints/caller-endpoint.ts'
import { mayTry } from '../policy/permissions.ts'
import { endpointSlug } from '../resource/endpoints/endpoint-operations.ts'
import { isBytesOutput, isLinesOutput } from '../resource/endpoints/endpoint-output.ts'
import type { Fields } from '../resource/fields/field.ts'
import { fieldsSchema, givenSchema } from '../resource/fields/nested/object.ts'
import type { Principal } from '../resource/principal.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { checkArguments, queryText } from './tools.ts'

export const callName = 'call'

export type EndpointTools = {
  readonly placed: readonly PlacedEndpoint[]
  /** The endpoint at a path, whatever its method. */
  readonly find: FindEndpoint
  /** Handles a request of an agent. Throws as REST does. */
  answer(placed: PlacedEndpoint, request: HttpRequest): Promise<HttpResponse>
}

type Schema = Readonly<Record<string, unknown>>

const properties: Readonly<Record<string, Schema>> = {
  path: { type: 'string' },
  query: { type: 'object', description: 'Query parameters, as `describe` names them.' },
  input: { type: 'object', description: 'The body, as `describe` names its fields.' },
}

export function callTool(offered: readonly PlacedEndpoint[]) {
  return {
    name: callName,
    description: 'Send a request to an endpoint of the application.',
    inputSchema: { type: 'object' as const, properties, required: ['path'], additionalProperties: false },
    annotations: {
      readOnlyHint: offered.every(isReading),
      destructiveHint: !offered.every(isReading),
      openWorldHint: true,
    },
  }
}

function isReading({ declared }: PlacedEndpoint): boolean {
  return declared.endpoint.method === 'GET'
}

/** Whether agents have it. `writes`: they may write. */
function isCallable(one: PlacedEndpoint, writes: boolean): boolean {
  const { body, output } = one.declared.endpoint
  return body === undefined && !isBytesOutput(output) && (writes || isReading(one))
}

function mayCall({ policy, catalog, settings }: Engine, principal: Principal, { declared, resource }: PlacedEndpoint) {
  const { partName, endpoint } = declared
  if (resource) return mayTry(policy, principal, { resource, operation: partName })
  try {
    const asked = { name: partName, rule: endpoint.rule, reads: endpoint.method === 'GET' }
    judgeEndpointCaller({ catalog, settings }, principal, asked)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The endpoints that this caller may send to. */
export function callOffers(
  engine: Engine,
  placed: readonly PlacedEndpoint[],
  { principal, writes }: { readonly principal: Principal; readonly writes: boolean },
): readonly PlacedEndpoint[] {
  return placed.filter((one) => isCallable(one, writes) && mayCall(engine, principal, one))
}

function pathOf({ path }: PlacedEndpoint): string {
  return path.slice(apiPrefix.length + 1).replace(/:(\w+)/g, '{$1}')
}

function slugOf({ resource }: PlacedEndpoint): string {
  return resource?.slug ?? endpointSlug
}

/** `{ orders: ['call orders/{id}/quote'], _endpoints: ['call price-list'] }` */
export function callPaths(offered: readonly PlacedEndpoint[]): Readonly<Record<string, readonly string[]>> {
  const bySlug = Map.groupBy(offered, slugOf)
  return Object.fromEntries([...bySlug].map(([slug, some]) => [slug, some.map((one) => `call ${pathOf(one)}`)]))
}

function described(name: string, fields: Fields | undefined, schema: (fields: Fields) => Schema): Schema {
  return fields === undefined || Object.keys(fields).length === 0 ? {} : { [name]: schema(fields) }
}

/** The endpoints of one resource, or of none (`_endpoints`), in full. */
export function describeCalls(offered: readonly PlacedEndpoint[], slug: string): Schema | undefined {
  const own = offered.filter((one) => slugOf(one) === slug)
  if (own.length === 0) return undefined
  return Object.fromEntries(
    own.map((one) => {
      const { summary, description, query, input, output } = one.declared.endpoint
      const about = [summary, description].filter((text) => text !== undefined).join(' ')
      const fields = isLinesOutput(output) ? output.fields : isBytesOutput(output) ? undefined : output
      const parts = {
        path: pathOf(one),
        ...(about && { about }),
        ...described('query', query, fieldsSchema),
        ...described('input', input, fieldsSchema),
        ...described(isLinesOutput(output) ? 'lines' : 'output', fields, givenSchema),
      }
      return [one.declared.partName, parts]
    }),
  )
}

export type FindEndpoint = (
  path: string,
) => { readonly placed: PlacedEndpoint; readonly parameters: HttpRequest['parameters'] } | undefined

/** Each path has one endpoint. */
export function makeFindEndpoint(placed: readonly PlacedEndpoint[]): FindEndpoint {
  const find = makeRouter(
    placed.map((one) => ({ methods: ['GET' as const], path: one.path, value: one })),
    limits.urlBytesMax,
  )
  return (path) => {
    const found = find('GET', path)
    return found && { placed: found.value, parameters: found.parameters }
  }
}

type Call = {
  readonly request: HttpRequest
  readonly headers: HttpRequest['headers']
  readonly given: Readonly<Record<string, unknown>>
}

/** Throws `ApiError`, as REST does. */
export async function runCall(
  { answer, find }: EndpointTools,
  { writes }: { readonly writes: boolean },
  { request, headers, given }: Call,
): Promise<HttpResponse> {
  checkArguments(given, properties, ['path'])
  const below = String(given.path)
  const path = `${apiPrefix}/${below.replace(/^\//, '')}`
  const found = /[?#]/.test(below) ? undefined : find(path)
  if (!found || !isCallable(found.placed, writes))
    throw new ApiError('not-found', `There is nothing to call at ${below.slice(0, 200)}; describe lists what there is`)
  const { method } = found.placed.declared.endpoint
  const query = queryText((given.query ?? {}) as Schema)
  const inner = { ...request, method, path, query, parameters: found.parameters, headers, body: undefined }
  return answer(found.placed, { ...inner, value: given.input ?? {} })
}
