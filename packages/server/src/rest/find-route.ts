/**
 * Finds the route of a method and a path for requests from batches, agents and the command line.
 */
import { makeRouter } from '../http/router.ts'
import { limits } from '../limits.ts'
import type { Route } from './route.ts'

export type MatchedRoute = { readonly route: Route; readonly parameters: Readonly<Record<string, string>> }
/** Undefined where no route matches. Throws `bad-request` for a malformed escape. */
export type FindRoute = (method: string, path: string) => MatchedRoute | undefined

export function makeFindRoute(routes: readonly Route[]): FindRoute {
  const declared = routes.map((route) => ({ methods: [route.method], path: route.path, value: route }))
  const find = makeRouter(declared, limits.urlBytesMax)
  return (method, path) => {
    const found = find(method, path)
    return found && { route: found.value, parameters: found.parameters }
  }
}
