/** A summary beside each list: `/products/summary`, `/products/:id/reviews/summary`. No id looks like that word. */
import type { Catalog } from '../resource/catalog.ts'
import { makeRoutes, type Route } from './route.ts'

export function makeSummaryRoutes(catalog: Catalog): Route[] {
  return makeRoutes(catalog)
    .filter(({ target }) => target.operation === 'list')
    .map((route) => ({ ...route, path: `${route.path}/summary`, summarizes: true }))
}
