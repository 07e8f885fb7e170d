/**
 * Keeps OpenAPI from describing twice an operation that is served at two paths: at the root and
 * below `/api/v1`, or nested below another record. The document describes one path, and lists the
 * others as `x-also-at`.
 */
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { type Route, templateOf } from '../rest/route.ts'
import type { OpenapiNode } from './openapi-node.ts'

/** The extension of the path item. Empty where the operation has only this path. */
export function describeOtherPaths(paths: readonly string[]): OpenapiNode {
  return paths.length > 0 ? { 'x-also-at': [...paths] } : {}
}

/** `products/{id}/reviews/{item_id}` is the record of `reviews/{id}`. */
function leadsTo(own: Route, nested: Route): boolean {
  const [one, other] = [own.target, nested.target]
  const isNested = own.steps.length === 0 && nested.steps.length > 0
  const isOne = own.idParameter !== undefined && own.key === undefined && nested.idParameter !== undefined
  return isNested && isOne && one.resource === other.resource && one.operation === other.operation
}

type DocumentedOnce = {
  /** The routes that are described. */
  readonly routes: readonly Route[]
  /** The other paths of a described route. */
  elsewhere(route: Route): readonly string[]
}

/**
 * Leaves out paths that repeat another one: those at the root, and a record below another one that
 * also has a path of its own. A path with different operations is described.
 */
export function documentedOnce(all: readonly Route[]): DocumentedOnce {
  const versioned = all.filter((route) => route.mount === apiPrefix)
  const twins = new Map(versioned.map((route) => [route, versioned.find((one) => leadsTo(one, route))]))
  const byPath = Map.groupBy(versioned, templateOf)
  const isElsewhere = (route: Route) => {
    const found = (byPath.get(templateOf(route)) ?? []).map((one) => twins.get(one))
    const [twin] = found
    return twin !== undefined && !found.includes(undefined) && byPath.get(templateOf(twin))?.length === found.length
  }
  const [repeated = [], routes = []] = [true, false].map((is) => versioned.filter((one) => isElsewhere(one) === is))
  const elsewhere = (route: Route) => {
    const atRoot = all.filter((one) => one.mount !== apiPrefix && `${apiPrefix}${one.path}` === route.path)
    const isSame = (twin: Route | undefined) => twin !== undefined && templateOf(twin) === templateOf(route)
    const nested = repeated.filter((one) => isSame(twins.get(one)))
    return [...new Set([...atRoot.map(() => templateOf(route).slice(apiPrefix.length)), ...nested.map(templateOf)])]
  }
  return { routes, elsewhere }
}
