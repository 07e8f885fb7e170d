/**
 * `/mcp` for AI agents: the Model Context Protocol over Streamable HTTP, without sessions. A call
 * of a tool becomes a REST request with the same credential, and takes the same steps. Responses
 * are JSON, not streams.
 */

import { batchPath } from '../endpoint/api-paths.ts'
import type { PlacedEndpoint } from '../endpoint/declared/endpoint-places.ts'
import { ApiError, toApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { identifyRequest, type TakeRate } from '../http/identify-request.ts'
import { statusOf } from '../http/messages/error-response.ts'
import { bytesOf, type HttpRequest, type HttpResponse, isWholeBody } from '../http/messages/exchange.ts'
import { readJson } from '../http/messages/read-body.ts'
import { limits } from '../limits.ts'
import { parseParameters } from '../operation/parameters.ts'
import { tenantHeader } from '../policy/tenants/request-tenants.ts'
import { listParameters } from '../resource/list-style.ts'
import type { Principal } from '../resource/principal.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import type { Route } from '../rest/route.ts'
import { batchBody, batchTool } from './batch-tool.ts'
import { callName, callOffers, callPaths, callTool, describeCalls, type EndpointTools, runCall } from './call-tool.ts'
import { type FileContent, type FileTools, fileToolList, isFileTool, isReadingFile, runFileTool } from './file-tools.ts'
import { checkOrigin } from './origin.ts'
import type { Sdk } from './sdk.ts'
import { describeAll, describeOne, type ToolOffer, toolOffersOf } from './tool-offers.ts'
import {
  inputSchemaOf,
  isDestructive,
  isReading,
  parseArguments,
  queryText,
  type ToolName,
  toolOf,
  tools,
} from './tools.ts'

export type McpDeps = {
  readonly engine: EdgeEngine
  /** The name of the application, and the version of the engine. */
  readonly name: string
  readonly version: string
  readonly writes: boolean
  readonly corsOrigins: readonly string[]
  readonly takeRate: TakeRate | undefined
  readonly routes: readonly Route[]
  readonly load: () => Promise<Sdk>
  /** Finds the route of a path below `/api/v1`, and handles a request. Throws as REST does. */
  find(
    method: string,
    path: string,
  ): { readonly route: Route; readonly parameters: Readonly<Record<string, string>> } | undefined
  travel(route: Route, request: HttpRequest): HttpResponse | Promise<HttpResponse>
  /** The endpoints of the application. */
  readonly endpoints: EndpointTools
  /** Undefined where no field holds files. */
  readonly files: FileTools | undefined
  /** Handles a batch of REST. Throws as REST does. */
  batch(request: HttpRequest): Promise<HttpResponse>
  /** Receives bugs and internal errors, which callers are told nothing about. */
  onFault(error: unknown): void
}

type ToolResult = { content: FileContent[]; isError?: boolean }
type McpRequest = {
  readonly request: HttpRequest
  readonly principal: Principal
  readonly offers: () => readonly ToolOffer[]
  readonly calls: () => readonly PlacedEndpoint[]
}

const instructions = 'Call `describe` first, then `describe` one resource for its fields.'

function resultOf(value: unknown, isError = false): ToolResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}

/** Throws `bad-request` for a response that is too long for an agent. */
async function textOf(body: HttpResponse['body']): Promise<string> {
  const parts: string[] = []
  let length = 0
  if (body === null) return ''
  for await (const part of isWholeBody(body) ? [bytesOf(body)] : body) {
    length += Buffer.byteLength(part)
    if (length > limits.mcpAnswerBytesMax)
      throw new ApiError(
        'bad-request',
        `The answer is larger than ${limits.mcpAnswerBytesMax} bytes; ask for a smaller limit, or for fewer fields`,
      )
    parts.push(String(part))
  }
  return parts.join('')
}

/** The headers of the caller's credential and of the tenant, and no others. */
function callerHeaders({ headers, query }: HttpRequest): HttpRequest['headers'] {
  const { authorization, 'x-api-key': sent, [tenantHeader]: tenant } = headers
  const key = sent ?? parseParameters(query).get(listParameters.credential.name)
  return {
    ...(authorization !== undefined && { authorization }),
    ...(key !== undefined && { 'x-api-key': key }),
    ...(tenant !== undefined && { [tenantHeader]: tenant }),
  }
}

/** A record with a version gets it as a member; a virtual record has none. */
function shown(name: ToolName, text: string, etag: unknown): string {
  if (name === 'list') return text
  if (text === '') return '{"done":true}'
  const version = /^"(\d+)(?:\.[\w-]+)?"$/.exec(String(etag))?.[1]
  return version === undefined ? `{"record":${text}}` : `{"version":${version},"record":${text}}`
}

/** Throws `ApiError`, as REST does. */
async function runTool(
  { find, travel, writes }: McpDeps,
  name: ToolName,
  { request, given }: { request: HttpRequest; given: Record<string, unknown> },
) {
  const { path: below, query, body, version } = parseArguments(name, given)
  const path = `${apiPrefix}/${below.replace(/^\//, '')}`
  const found = /[?#]/.test(below) ? undefined : find(tools[name].method, path)
  if (!found || toolOf(found.route) !== name || !(writes || isReading(name)))
    throw new ApiError(
      'not-found',
      `There is nothing to ${name} at ${below.slice(0, 200)}; describe lists what there is`,
    )
  const { list } = found.route.target.resource
  const all = name === 'list' && list.style === 'all' && query.limit === undefined && query.page === undefined
  const headers = { ...callerHeaders(request), ...(version !== undefined && { 'if-match': `"${version}"` }) }
  const inner: HttpRequest = {
    ...request,
    method: tools[name].method,
    path,
    query: queryText(all ? { ...query, limit: limits.mcpListLimit } : query),
    parameters: found.parameters,
    headers,
    body: undefined,
    value: body,
  }
  const response = await travel(found.route, inner)
  const text = await textOf(response.body)
  const { resource, operation } = found.route.target
  return resource.actions[operation]?.output ? `{"output":${text}}` : shown(name, text, response.headers.etag)
}

/** Throws `ApiError`, as REST does. */
async function runBatch({ batch }: McpDeps, request: HttpRequest, given: Record<string, unknown>): Promise<string> {
  const value = batchBody(given)
  const headers = callerHeaders(request)
  const response = await batch({ ...request, path: batchPath, query: '', headers, body: undefined, value })
  return textOf(response.body)
}

function toolList(offers: readonly ToolOffer[], calls: readonly PlacedEndpoint[]) {
  const offered = new Set(offers.map(({ tool }) => tool))
  const described = {
    name: 'describe',
    description:
      'You and what you may do: all resources with the paths of other tools (fill in {id}), or one with fields, filters, summaries and actions.',
    inputSchema: {
      type: 'object' as const,
      properties: { resource: { type: 'string' } },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  }
  const others = (Object.keys(tools) as ToolName[])
    .filter((name) => offered.has(name))
    .map((name) => ({
      name,
      description: tools[name].about,
      inputSchema: inputSchemaOf(name),
      annotations: { readOnlyHint: isReading(name), destructiveHint: isDestructive(name), openWorldHint: false },
    }))
  const own = calls.length > 0 ? [callTool(calls)] : []
  return [described, ...others, ...fileToolList(offers), ...([...offered].every(isReading) ? [] : [batchTool]), ...own]
}

/** Resources and endpoints: all with their paths, or one in full. Throws `not-found`. */
function describe({ engine }: McpDeps, { principal, offers, calls }: McpRequest, resource: unknown) {
  const [own, called] = [offers(), calls()]
  if (resource === undefined) return describeAll(own, { principal, calls: callPaths(called) })
  const slug = String(resource)
  const endpoints = describeCalls(called, slug)
  const isListed = own.some(({ route }) => route.target.resource.slug === slug)
  const told = isListed || !endpoints ? describeOne(engine, slug, { offers: own, principal }) : {}
  return { ...told, ...(endpoints && { calls: endpoints }) }
}

/** Throws `ApiError`, as REST does. */
async function runOwn(parts: McpDeps, request: HttpRequest, given: Record<string, unknown>): Promise<string> {
  const call = { request, headers: callerHeaders(request), given }
  const response = await runCall(parts.endpoints, parts, call)
  return (await textOf(response.body)) || '{"done":true}'
}

async function useTool(
  parts: McpDeps,
  asking: McpRequest,
  { name, given }: { name: string; given: Record<string, unknown> },
): Promise<ToolResult> {
  const { request } = asking
  try {
    if (name === 'describe') return resultOf(describe(parts, asking, given.resource))
    if (name === callName && parts.endpoints.placed.length > 0) return resultOf(await runOwn(parts, request, given))
    if (name === batchTool.name && parts.writes) return resultOf(await runBatch(parts, request, given))
    if (isFileTool(name) && parts.files && (parts.writes || isReadingFile(name)))
      return { content: [await runFileTool(parts.files, name, { request, headers: callerHeaders(request), given })] }
    if (!Object.hasOwn(tools, name) || !(parts.writes || isReading(name as ToolName)))
      throw new ApiError('not-found', `There is no tool ${name.slice(0, 100)}`)
    return resultOf(await runTool(parts, name as ToolName, { request, given }))
  } catch (thrown) {
    const error = toApiError(thrown)
    if (error.code === 'internal') parts.onFault(error.cause ?? error)
    const details = error.mistakes.map(({ detail }) => detail)
    const mistakes = details.length > 1 && { mistakes: details }
    return resultOf({ status: statusOf(error), error: error.message, ...mistakes }, true)
  }
}

async function makeServer(parts: McpDeps, asking: McpRequest) {
  const sdk = await parts.load()
  const server = new sdk.Server(
    { name: parts.name, version: parts.version },
    { capabilities: { tools: {} }, instructions },
  )
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: toolList(asking.offers(), asking.calls()),
  }))
  server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }) =>
    useTool(parts, asking, { name: params.name, given: params.arguments ?? {} }),
  )
  const transport = new sdk.Transport({ enableJsonResponse: true }) // without a session
  await server.connect(transport)
  return { server, transport }
}

/** Throws for a bad credential, a page of another site, and a body that is not JSON. */
export function makeMcp(parts: McpDeps): (request: HttpRequest) => Promise<HttpResponse> {
  const { engine, takeRate, corsOrigins, routes, writes, endpoints } = parts
  return async (request) => {
    checkOrigin(request, corsOrigins)
    const { principal } = await identifyRequest({ identity: engine.identity, takeRate }, request, { machine: false })
    const message = await readJson(request)
    // A message may be a list, which would count as one request.
    if (Array.isArray(message)) throw new ApiError('bad-request', 'Send one message a request')
    const offers = () => toolOffersOf(engine, routes, { principal, writes })
    const calls = () => callOffers(engine, endpoints.placed, { principal, writes })
    const { server, transport } = await makeServer(parts, { request, principal, offers, calls })
    try {
      const headers = Object.entries(request.headers).filter(([name]) => /^(accept|content-type|mcp-)/.test(name))
      const sent = new Request('http://mcp/mcp', { method: 'POST', headers: headers as [string, string][] })
      const answer = await transport.handleRequest(sent, { parsedBody: message })
      const type = answer.headers.get('content-type')
      return {
        status: answer.status,
        headers: { ...(type && { 'content-type': type }), 'cache-control': 'no-store' },
        body: (await answer.text()) || null,
      }
    } finally {
      await server.close()
    }
  }
}
