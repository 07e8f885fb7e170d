/** The route of a difference below each history: `/things/:id/history/difference?from=3&to=5`. */
import type { Catalog } from '../../resource/catalog.ts'
import { isHistory } from '../../resource/made/shown-resources.ts'
import { makeRoutes, type Route } from '../route.ts'

export function makeDifferenceRoutes(catalog: Catalog): Route[] {
  return makeRoutes(catalog).flatMap(differencesOf)
}

/** One for a list of versions, none for other routes. The id of a version has another form. */
export function differencesOf(route: Route): Route[] {
  const { resource, operation } = route.target
  if (operation !== 'list' || !isHistory(resource)) return []
  return [{ ...route, path: `${route.path}/difference`, compares: true }]
}
