/**
 * Routes into the trash. `?_trash=only` of a list, record, summary or export reads the trash.
 * `?_trash=skip` of a deletion ends the record for good, also one that is in the trash.
 */
import { ApiError } from '../errors.ts'
import { type Parameters, parameterError } from '../operation/parameters.ts'
import { trashParameter } from '../resource/made/declared-trash.ts'
import { restoringFrom } from '../resource/made/shown-resources.ts'
import type { Route } from './route.ts'

/** The routes that take the place of one, in the order in which they are tried. */
export type TrashRoutes = { readonly word: 'only' | 'skip'; readonly routes: readonly Route[] }

const trashReads: readonly string[] = ['list', 'get', 'export']

/** The route with those that its parameter leads to. */
export function withTrashRoutes(route: Route): Route {
  const { resource, operation, nested } = route.target
  const trash = restoringFrom(resource)
  // A record comes back by a path of its own resource alone.
  if (!trash || resource.path === undefined) return route
  if (trashReads.includes(operation)) {
    if (!trash.access[operation]) return route
    const target = { ...route.target, resource: trash }
    return { ...route, trash: { word: 'only', routes: [{ ...route, target, isInTrash: true }] } }
  }
  if (nested) return route
  const { purge } = resource.access
  if (operation !== 'delete' || !purge) return route
  const here: Route = { ...route, target: { ...route.target, access: purge }, endsForGood: true }
  const there: Route = { ...route, target: { resource: trash, operation, nested: false }, endsForGood: true }
  return { ...route, trash: { word: 'skip', routes: route.many ? [here] : [here, there] } }
}

/** Tries the routes one after another, while a record is not found by one. */
export async function firstFound<T>(routes: readonly Route[], take: (route: Route) => T | Promise<T>): Promise<T> {
  const [route, ...others] = routes
  if (!route) throw new Error('no route is left to try')
  try {
    return await take(route)
  } catch (error) {
    if (others.length === 0 || !(error instanceof ApiError) || error.code !== 'not-found') throw error
    return firstFound(others, take)
  }
}

/** The routes to try for this query; undefined without the parameter, or with another word. */
export function routesFor({ trash }: Route, query: string): readonly Route[] | undefined {
  if (!trash || !query.includes(trashParameter)) return undefined
  return query.split('&').includes(`${trashParameter}=${trash.word}`) ? trash.routes : undefined
}

/** The parameters without the one that has led here. Throws `bad-request` for another word. */
export function withoutTrash({ trash, isInTrash, endsForGood }: Route, sent: Parameters): Parameters {
  if (!sent.has(trashParameter)) return sent
  if (isInTrash || endsForGood) return new Map([...sent].filter(([name]) => name !== trashParameter))
  if (trash) throw parameterError(trashParameter, `${trashParameter} must be "${trash.word}" here`)
  return sent
}
