/** The route of a method and a path, for what does not come through the server's router: batches, agents and the command line. */
import { ApiError } from '../errors.ts'
import type { Route } from './route.ts'

export type FoundRoute = { readonly route: Route; readonly parameters: Readonly<Record<string, string>> }
/** Undefined where there is none. Throws `bad-request` for a malformed escape. */
export type FindRoute = (method: string, path: string) => FoundRoute | undefined

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new ApiError('bad-request', 'Malformed percent escape in the path', { cause })
  }
}

/** A fixed segment comes before a parameter, as in the router of the server. */
function weightOf({ path }: Route): string {
  return path.replace(/:\w+/g, '~')
}

export function makeFindRoute(routes: readonly Route[]): FindRoute {
  const byLength = Map.groupBy(
    routes
      .toSorted((a, b) => (weightOf(a) < weightOf(b) ? -1 : 1))
      .map((route) => ({ route, wanted: route.path.split('/') })),
    ({ route: { method }, wanted }) => `${method} ${wanted.length}`,
  )
  return (method, path) => {
    const given = path.split('/')
    for (const { route, wanted } of byLength.get(`${method} ${given.length}`) ?? []) {
      if (!wanted.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))) continue
      const entries = wanted.flatMap((segment, i) =>
        segment.startsWith(':') ? [[segment.slice(1), decode(given[i] as string)] as const] : [],
      )
      return { route, parameters: Object.fromEntries(entries) }
    }
    return undefined
  }
}
