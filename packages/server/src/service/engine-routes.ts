/**
 * All routes that belong to no resource, including those of features. Documents and the command
 * line read their descriptions; a service connects them to their dependencies.
 */

import { type AccountRouteDeps, accountRoutes } from '../accounts/account-routes.ts'
import { type ConsoleRouteDeps, consoleRoutes } from '../console/console-routes.ts'
import { checkRoutes } from '../endpoint/check-routes.ts'
import type { DefinedRoute, EngineRoutes, RouteGroup } from '../endpoint/define-route.ts'
import type { RouteContext } from '../endpoint/route-access.ts'
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
import { permissionsRoutes } from '../rest/permissions-route.ts'
import type { ToldRouteDeps } from '../rest/told-answer.ts'
import { type BatchRouteDeps, batchRoutes } from '../rest/writes/batch-route.ts'

/** The dependencies of each group of routes. */
type RouteDeps = AccountRouteDeps & {
  readonly pages: PageRouteDeps
  readonly console: ConsoleRouteDeps
  readonly mcp: McpRouteDeps
  readonly graphql: GraphqlRouteDeps
  readonly batch: BatchRouteDeps
  readonly permissions: ToldRouteDeps
  readonly resources: ToldRouteDeps
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
  permissions: permissionsRoutes,
  resources: resourcesRoutes,
  scalars: scalarRoutes,
  documents: documentRoutes,
  status: statusRoutes,
  jobs: jobRoutes,
  operate: operateRoutes,
  health: healthRoutes,
}
const names = Object.keys(subjects) as (keyof RouteDeps)[]

/** Throws `StartError` for routes that conflict. */
export function engineRoutes(ground: RouteContext): EngineRoutes {
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

/** Each route with its description for the documents. */
export function serveEngineRoutes(gathered: RouteDepsTable, serving: ServeRouteDeps): ServedRoute[] {
  return names.flatMap((name) => serveSubject(name, gathered, serving))
}
