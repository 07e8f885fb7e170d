/**
 * Lists the methods that a path has, for 405 and OPTIONS. It runs only when no route matched, so it
 * may be slow.
 */
import type { HttpMethod } from './router.ts'

type TablePath = {
  readonly methods: readonly HttpMethod[]
  readonly path: string
  readonly optionHeaders?: Readonly<Record<string, string>>
}
export type PathTable = readonly TablePath[]

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  const isOpen = wanted.at(-1) === '*'
  if (isOpen ? wanted.length > given.length : wanted.length !== given.length) return false
  if (isOpen) wanted.pop()
  return wanted.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))
}

/** The media type of a QUERY request's body, for `Accept-Query` (RFC 10008). */
export const queryType = 'application/json'

/**
 * `['GET', 'HEAD', 'POST', 'OPTIONS']`; empty for an unknown path. Every matching route counts,
 * with a fixed segment or a parameter.
 */
export function allowedMethods(table: PathTable, path: string): string[] {
  const found = table.filter((route) => matches(route.path, path))
  if (found.length === 0) return []
  const methods = new Set<string>(found.flatMap((route) => route.methods))
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  return [...methods]
}

/** The headers that the routes of a path have in an answer to OPTIONS. */
export function optionHeadersAt(table: PathTable, path: string): Readonly<Record<string, string>> {
  const found = table.filter((route) => route.optionHeaders && matches(route.path, path))
  return Object.assign({}, ...found.map(({ optionHeaders }) => optionHeaders))
}
