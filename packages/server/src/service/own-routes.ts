/**
 * Every route that belongs to no resource, those of features among them: documents and the command line read their descriptions,
 * a service binds them to what they need.
 */

import { type AccountNeeds, accountRoutes } from '../accounts/account-routes.ts'
import { checkRoutes } from '../endpoint/check-routes.ts'
import type { DefinedRoute, OwnApi, Subject } from '../endpoint/define-route.ts'
import type { Ground } from '../endpoint/door.ts'
import { type GraphqlNeeds, graphqlRoutes, scalarRoutes } from '../graphql/graphql-routes.ts'
import { type ServedRoute, type Serving, serveRoute } from '../http/serve-route.ts'
import { type McpNeeds, mcpRoutes } from '../mcp/mcp-route.ts'
import { type DocumentNeeds, documentRoutes } from '../openapi/document-route.ts'
import { type HealthNeeds, healthRoutes } from '../pages/health-routes.ts'
import { type PageNeeds, pageRoutes } from '../pages/page-routes.ts'
import { type StatusNeeds, statusRoutes } from '../pages/status-route.ts'
import { type BatchNeeds, batchRoutes } from '../rest/writes/batch-route.ts'

/** The needs of the routes of each subject. */
type Needs = AccountNeeds & {
  readonly pages: PageNeeds
  readonly mcp: McpNeeds
  readonly graphql: GraphqlNeeds
  readonly batch: BatchNeeds
  readonly scalars: GraphqlNeeds
  readonly documents: DocumentNeeds
  readonly status: StatusNeeds
  readonly health: HealthNeeds
}

type Subjects = { readonly [K in keyof Needs]: (ground: Ground) => Subject<Needs[K]> }

/** In the order of `bindery routes`. */
const subjects: Subjects = {
  ...accountRoutes,
  pages: pageRoutes,
  mcp: mcpRoutes,
  graphql: graphqlRoutes,
  batch: batchRoutes,
  scalars: scalarRoutes,
  documents: documentRoutes,
  status: statusRoutes,
  health: healthRoutes,
}
const names = Object.keys(subjects) as (keyof Needs)[]

/** Throws `StartError` for routes that contradict themselves. */
export function ownApi(ground: Ground): OwnApi {
  const api = names.map((name) => subjects[name](ground))
  checkRoutes(api)
  return api
}

/** Undefined where the routes are not served. It is asked for only where there are some. */
export type Gathered = { readonly [K in keyof Needs]: () => Needs[K] | undefined }

function serveSubject<K extends keyof Needs>(name: K, gathered: Gathered, serving: Serving): ServedRoute[] {
  const routes: readonly DefinedRoute<Needs[K]>[] = subjects[name](serving).routes
  const needs = routes.length > 0 ? gathered[name]() : undefined
  return needs === undefined ? [] : routes.flatMap((route) => serveRoute(route, needs as Needs[K], serving))
}

/** Each with the description that documents show. */
export function serveOwn(gathered: Gathered, serving: Serving): ServedRoute[] {
  return names.flatMap((name) => serveSubject(name, gathered, serving))
}
