/**
 * Connects `/mcp` to its dependencies, where the operator enables it or has installed its package.
 */

import { checkInstalled, isInstalled } from '../base/optional-package.ts'
import { applicationName } from '../cli/project-settings.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/logs/log.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { type EndpointTools, makeFindEndpoint } from '../mcp/call-tool.ts'
import { makeMcp } from '../mcp/mcp.ts'
import type { McpRouteDeps } from '../mcp/mcp-route.ts'
import { makeLoadSdk, sdkPackage } from '../mcp/sdk.ts'
import type { FindRoute } from '../rest/find-route.ts'
import { handleRequest, type RequestPipeline } from '../rest/handle-request.ts'
import type { Route } from '../rest/route.ts'

type McpNeedsDeps = {
  readonly pipeline: RequestPipeline
  readonly routes: readonly Route[]
  readonly findRoute: FindRoute
  readonly log: Log
  readonly endpoints: Omit<EndpointTools, 'find'>
  batch(request: HttpRequest): Promise<HttpResponse>
}

/** Undefined where it is off. Throws `StartError` when it is enabled but its package is missing. */
export function mcpNeeds(
  { mcp, corsOrigins }: Config,
  { pipeline, routes, findRoute, endpoints, batch, log }: McpNeedsDeps,
): McpRouteDeps | undefined {
  if (mcp === 'off' || (mcp === undefined && !isInstalled(sdkPackage.entry))) return undefined
  if (mcp !== undefined) checkInstalled(sdkPackage, `MCP=${mcp}`)
  // A request of an agent counts once towards the rate limit.
  const uncounted = { ...pipeline, takeRate: undefined }
  const answer = makeMcp({
    engine: pipeline.engine,
    name: applicationName(process.cwd()),
    version: ownVersion(),
    writes: mcp === 'write',
    corsOrigins,
    takeRate: pipeline.takeRate,
    routes,
    load: makeLoadSdk(),
    find: findRoute,
    endpoints: { ...endpoints, find: makeFindEndpoint(endpoints.placed) },
    batch,
    travel: (route, request) => handleRequest(uncounted, route, request),
    onFault: (error) => log.error('A tool failed', error),
  })
  return { answer }
}
