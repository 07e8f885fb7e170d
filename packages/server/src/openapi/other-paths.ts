/**
 * Paths that several addresses share: one of them is described, and says where else it is served.
 */
import { apiPrefix } from '../endpoint/api-paths.ts'
import { type Route, templateOf } from '../rest/route.ts'
import type { OpenapiNode } from './openapi-node.ts'

/** The extension that a path item has. Empty where the path is its only one. */
export function describeOtherPaths(paths: readonly string[]): OpenapiNode {
  return paths.length > 0 ? { 'x-also-at': [...paths] } : {}
}

/** `products/{id}/reviews/{item_id}` leads to the record of `reviews/{id}`. */
function leadsTo(own: Route, nested: Route): boolean {
  const [one, other] = [own.target, nested.target]
  const isNested = own.steps.length === 0 && nested.steps.length > 0
  const isOne = own.idParameter !== undefined && nested.idParameter !== undefined
  return isNested && isOne && one.resource === other.resource && one.operation === other.operation
}

type DocumentedOnce = {
  /** Those that are described. */
  readonly routes: readonly Route[]
  /** Where else a described one is served. */
  elsewhere(route: Route): readonly string[]
}

/**
 * What is served at the root too, and a record below another one that has a path of its own: the
 * same operations with the same answers, which programs would otherwise get twice. A path with
 * other operations than that one is described.
 */
export function documentedOnce(all: readonly Route[]): DocumentedOnce {
  const versioned = all.filter((route) => route.mount === apiPrefix)
  const twinOf = (route: Route) => versioned.find((one) => leadsTo(one, route))
  const byPath = Map.groupBy(versioned, templateOf)
  const isElsewhere = (route: Route) => {
    const twins = (byPath.get(templateOf(route)) ?? []).map(twinOf)
    const [twin] = twins
    return twin !== undefined && !twins.includes(undefined) && byPath.get(templateOf(twin))?.length === twins.length
  }
  const routes = versioned.filter((route) => !isElsewhere(route))
  const elsewhere = (route: Route) => {
    const atRoot = all.filter((one) => one.mount !== apiPrefix && `${apiPrefix}${one.path}` === route.path)
    const isSame = (twin: Route | undefined) => twin !== undefined && templateOf(twin) === templateOf(route)
    const nested = versioned.filter((one) => isElsewhere(one) && isSame(twinOf(one)))
    return [...new Set([...atRoot.map(() => templateOf(route).slice(apiPrefix.length)), ...nested.map(templateOf)])]
  }
  return { routes, elsewhere }
}
