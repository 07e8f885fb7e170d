/**
 * All routes that belong to no resource, including those of features. Documents and the command
 * line read their descriptions; a service connects them to their dependencies.
 */

import { type AccountRouteDeps, accountRoutes } from '../accounts/account-routes.ts'
import { type ConsoleRouteDeps, consoleRoutes } from '../console/console-routes.ts'
import { checkRoutes } from '../endpoint/check-routes.ts'
import { checkPlaces } from '../endpoint/declared/endpoint-places.ts'
import { type EndpointRouteDeps, endpointRoutes, placedEndpoints } from '../endpoint/declared/endpoint-routes.ts'
import {
  type DefinedRoute,
  type DescribedRoute,
  type EngineRoutes,
  pathsOf,
  type RouteGroup,
} from '../endpoint/define-route.ts'
import type { RouteContext } from '../endpoint/route-access.ts'
import type { ChangesRouteDeps } from '../events/answer-changes.ts'
import { changesRoutes } from '../events/changes-route.ts'
import { type LiveRouteDeps, liveRoutes } from '../events/live/live-route.ts'
import type { FileHandling } from '../files/serving/handed-on.ts'
import { uploadRoutes } from '../files/upload-routes.ts'
import { type GraphqlRouteDeps, graphqlRoutes, scalarRoutes } from '../graphql/graphql-routes.ts'
import { type ServedRoute, type ServeRouteDeps, serveRoute } from '../http/serve-route.ts'
import { type JobRouteDeps, jobRoutes } from '../jobs/job-routes.ts'
import { type McpRouteDeps, mcpRoutes } from '../mcp/mcp-route.ts'
import { type DocumentRouteDeps, documentRoutes } from '../openapi/document-route.ts'
import { type OperateRouteDeps, operateRoutes } from '../operate/operate-routes.ts'
import { type HealthRouteDeps, healthRoutes } from '../pages/health-routes.ts'
import { type PageRouteDeps, pageRoutes } from '../pages/page-routes.ts'
import { type StatusRouteDeps, statusRoutes } from '../pages/status-route.ts'
import { resourcesRoutes } from '../rest/describe/resources-route.ts'
import { differencesOf } from '../rest/lists/difference-routes.ts'
import { summariesOf } from '../rest/lists/summary-routes.ts'
import { permissionsRoutes } from '../rest/permissions-route.ts'
import { makeBulkRoutes, makeRoutes, makeUpsertRoutes } from '../rest/route.ts'
import type { ToldRouteDeps } from '../rest/told-answer.ts'
import { type BatchRouteDeps, batchRoutes } from '../rest/writes/batch-route.ts'

/** The dependencies of each group of routes. */
type RouteDeps = AccountRouteDeps & {
  readonly pages: PageRouteDeps
  readonly console: ConsoleRouteDeps
  readonly mcp: McpRouteDeps
  readonly graphql: GraphqlRouteDeps
  readonly batch: BatchRouteDeps
  readonly changes: ChangesRouteDeps
  readonly live: LiveRouteDeps
  readonly permissions: ToldRouteDeps
  readonly resources: ToldRouteDeps
  readonly uploads: FileHandling
  readonly endpoints: EndpointRouteDeps
  readonly scalars: GraphqlRouteDeps
  readonly documents: DocumentRouteDeps
  readonly status: StatusRouteDeps
  readonly jobs: JobRouteDeps
  readonly operate: OperateRouteDeps
  readonly health: HealthRouteDeps
}

type RouteGroups = { readonly [K in keyof RouteDeps]: (ground: RouteContext) => RouteGroup<RouteDeps[K]> }

/** In the order of `bindery routes`. */
const subjects: RouteGroups = {
  ...accountRoutes,
  pages: pageRoutes,
  console: consoleRoutes,
  mcp: mcpRoutes,
  graphql: graphqlRoutes,
  batch: batchRoutes,
  changes: changesRoutes,
  live: liveRoutes,
  permissions: permissionsRoutes,
  resources: resourcesRoutes,
  uploads: uploadRoutes,
  endpoints: endpointRoutes,
  scalars: scalarRoutes,
  documents: documentRoutes,
  status: statusRoutes,
  jobs: jobRoutes,
  operate: operateRoutes,
  health: healthRoutes,
}
const names = Object.keys(subjects) as (keyof RouteDeps)[]

/** Throws `StartError` where an endpoint has the path of a resource or of the engine. */
export function checkEndpointPaths(ground: RouteContext): void {
  const placed = placedEndpoints(ground)
  if (placed.length === 0) return
  const { catalog } = ground
  const routes = makeRoutes(catalog)
  const others = names
    .filter((name) => name !== 'endpoints')
    .flatMap((name): readonly DescribedRoute[] => subjects[name](ground).routes)
  const taken = others.flatMap((route) => pathsOf(route).map((path) => ({ method: route.method, path })))
  const ofCollections = [...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)]
  const ofLists = routes.flatMap((route) => [...summariesOf(route), ...differencesOf(route)])
  checkPlaces(placed, [...routes, ...ofLists, ...ofCollections, ...taken])
}

/** Throws `StartError` for routes that conflict. */
export function engineRoutes(ground: RouteContext): EngineRoutes {
  checkEndpointPaths(ground)
  const api = names.map((name) => subjects[name](ground))
  checkRoutes(api)
  return api
}

/**
 * Undefined where the routes are not served. The function is called only where the group has
 * routes.
 */
export type RouteDepsTable = { readonly [K in keyof RouteDeps]: () => RouteDeps[K] | undefined }

function serveSubject<K extends keyof RouteDeps>(
  name: K,
  gathered: RouteDepsTable,
  serving: ServeRouteDeps,
): ServedRoute[] {
  const routes: readonly DefinedRoute<RouteDeps[K]>[] = subjects[name](serving).routes
  const needs = routes.length > 0 ? gathered[name]() : undefined
  return needs === undefined ? [] : routes.flatMap((route) => serveRoute(route, needs as RouteDeps[K], serving))
}

/** Each route with its description for the documents. Throws `StartError` for taken paths. */
export function serveEngineRoutes(gathered: RouteDepsTable, serving: ServeRouteDeps): ServedRoute[] {
  checkEndpointPaths(serving)
  return names.flatMap((name) => serveSubject(name, gathered, serving))
}
