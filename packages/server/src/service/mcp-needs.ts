/**
 * Connects `/mcp` to its dependencies, where the operator enables it or has installed its package.
 */

import { checkInstalled, isInstalled } from '../base/optional-package.ts'
import { applicationName } from '../cli/project-settings.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import { answerFileRoute } from '../files/file-answers.ts'
import type { FileRoom } from '../files/file-room.ts'
import type { Log } from '../http/logs/log.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { makeRouter } from '../http/router.ts'
import { limits } from '../limits.ts'
import { type EndpointTools, makeFindEndpoint } from '../mcp/call-tool.ts'
import type { FileTools } from '../mcp/file-tools.ts'
import { makeMcp } from '../mcp/mcp.ts'
import type { McpRouteDeps } from '../mcp/mcp-route.ts'
import { makeLoadSdk, sdkPackage } from '../mcp/sdk.ts'
import { makeFileRoutes } from '../rest/file-routes.ts'
import type { FindRoute } from '../rest/find-route.ts'
import { handleRequest, type RequestPipeline } from '../rest/handle-request.ts'
import type { Route } from '../rest/route.ts'

type McpNeedsDeps = {
  readonly pipeline: RequestPipeline
  readonly routes: readonly Route[]
  readonly findRoute: FindRoute
  readonly log: Log
  /** Undefined where no field holds files. */
  readonly files: FileRoom | undefined
  readonly endpoints: Omit<EndpointTools, 'find'>
  batch(request: HttpRequest): Promise<HttpResponse>
}

/** An agent reads the bytes in the answer of its tool. */
function withoutRedirect(room: FileRoom): FileRoom {
  return { ...room, settings: { ...room.settings, redirectSeconds: undefined } }
}

function fileTools(room: FileRoom, pipeline: RequestPipeline): FileTools {
  const routes = makeFileRoutes(room.engine.catalog)
  const find = makeRouter(
    routes.map((route) => ({ methods: [route.method], path: route.path, value: route })),
    limits.urlBytesMax,
  )
  return {
    find(method, path) {
      const found = find(method, path)
      return found && { route: found.value, parameters: found.parameters }
    },
    answer: (route, request) => answerFileRoute({ room: withoutRedirect(room), pipeline }, route)(request),
  }
}

/** Undefined where it is off. Throws `StartError` when it is enabled but its package is missing. */
export function mcpNeeds(
  { mcp, corsOrigins }: Config,
  { pipeline, routes, findRoute, endpoints, batch, log, files }: McpNeedsDeps,
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
    files: files && fileTools(files, uncounted),
    travel: (route, request) => handleRequest(uncounted, route, request),
    onFault: (error) => log.error('A tool failed', error),
  })
  return { answer }
}
