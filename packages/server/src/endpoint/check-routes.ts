/**
 * Checks defined routes at start for mistakes that the compiler does not see, and reports all at
 * once.
 */
import { StartError } from '../errors.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { checkShape, shapeOf } from './body-shape.ts'
import { type DescribedRoute, operationWords, pathsOf, type RouteGroup } from './define-route.ts'
import { isMediaBody } from './documented-response.ts'

function fieldMistakes(place: string, fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]: [string, Field]) =>
    field.mistakes.map(({ path, problem }) => `${place}: ${name}${path && `: ${path}`}: ${problem}`),
  )
}

/** The example must be one that the route takes. */
function exampleMistakes({ input, example }: DescribedRoute): string[] {
  if (!input || isMediaBody(input) || example === undefined) return []
  try {
    checkShape(shapeOf(input), example)
    return []
  } catch (error) {
    return [`example: ${(error as Error).message}`]
  }
}

function parameterMistakes({ path, parameters = {} }: DescribedRoute): string[] {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  const unknown = Object.keys(parameters).filter((name) => !named.includes(name))
  const untold = named.filter((name) => !Object.hasOwn(parameters, name))
  return [
    ...unknown.map((name) => `parameters: ${name} is not in the path`),
    ...untold.map((name) => `parameters: ${name} of the path is missing`),
  ]
}

function mistakesOf(route: DescribedRoute): string[] {
  const { method, input, query = {}, parameters = {}, output } = route
  const statuses = Object.keys(output)
  return [
    ...(method === 'GET' && input ? ['input: a GET has no body; use query'] : []),
    ...(statuses.length === 0 ? ['output: there must be one answer at least'] : []),
    ...statuses.filter((status) => !/^[2-5]\d\d$/.test(status)).map((status) => `output: ${status} is no status`),
    ...parameterMistakes(route),
    ...exampleMistakes(route),
    ...fieldMistakes('query', query),
    ...fieldMistakes('parameters', parameters),
    ...(input && !isMediaBody(input) ? fieldMistakes('input', shapeOf(input).fields) : []),
  ]
}

function twice(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}

/** Throws `StartError` with every mistake. */
export function checkRoutes(subjects: readonly RouteGroup<never>[]): void {
  const routes = subjects.flatMap((subject) => subject.routes)
  const own = routes.flatMap((route) => mistakesOf(route).map((one) => `${route.method} ${route.path}: ${one}`))
  const places = routes.flatMap((route) => pathsOf(route).map((path) => `${route.method} ${path}`))
  const ids = routes.flatMap((route) => operationWords(route)?.id ?? [])
  const mistakes = [
    ...own,
    ...twice(places).map((place) => `${place}: there are two routes`),
    ...twice(ids).map((id) => `describe: two routes have the id ${id}`),
  ]
  if (mistakes.length > 0) throw new StartError(`The routes have mistakes:\n  ${mistakes.join('\n  ')}`)
}
