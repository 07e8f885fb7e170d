/**
 * The route of a summary beside each list: `/things/summary`, `/things/:id/parts/summary`. No id
 * has that form.
 */
import type { Catalog } from '../../resource/catalog.ts'
import { makeRoutes, type Route } from '../route.ts'

export function makeSummaryRoutes(catalog: Catalog): Route[] {
  return makeRoutes(catalog).flatMap(summariesOf)
}

/** The summary routes of a route: one for a list, none for others. */
export function summariesOf(route: Route): Route[] {
  if (route.target.operation !== 'list') return []
  const { trash } = route
  const inTrash = trash && { trash: { ...trash, routes: trash.routes.flatMap(summariesOf) } }
  return [{ ...route, path: `${route.path}/summary`, summarizes: true, ...inTrash }]
}
