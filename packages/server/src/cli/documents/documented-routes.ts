/**
 * The lines of `bindery routes` for routes that belong to no resource: in words of their own, or
 * from the OpenAPI document.
 */
import {
  type CredentialScheme,
  type DescribedRoute,
  type EngineRoutes,
  pathsOf,
  type RouteListing as Words,
} from '../../endpoint/define-route.ts'
import { makeOpenapi } from '../../openapi/make-openapi.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { ServiceSettings } from '../../resource/rule.ts'

/** One line of `bindery routes`. */
export type RouteLine = Words & { readonly method: string; readonly path: string }

type Requirements = readonly Readonly<Record<string, unknown>>[]
type Operation = {
  readonly operationId: string
  readonly security?: Requirements
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}
type Document = {
  readonly security: Requirements
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const methods: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

/** No requirement, or an empty one among them, allows every caller. */
function whoMay(security: Requirements, schemes: readonly CredentialScheme[]): string {
  const own = schemes.find(
    ({ name, holder }) => holder !== undefined && security.some((one) => Object.hasOwn(one, name)),
  )
  if (own?.holder !== undefined) return own.holder
  return security.every((one) => Object.keys(one).length > 0) && security.length > 0 ? 'any user' : 'anyone'
}

function answersOf({ responses }: Operation): string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return successes.map(([status, { description = '' }]) => `${status} ${description.replace(/\.$/, '')}`).join('; ')
}

function wordsOf({ describe }: DescribedRoute): Words | undefined {
  return 'partOf' in describe ? undefined : describe.line
}

/** Methods with the same words share a line. */
export function wordedLines(own: EngineRoutes): RouteLine[] {
  const lines: RouteLine[] = own
    .flatMap(({ routes }) => routes)
    .flatMap((route) => {
      const words = wordsOf(route)
      return words ? pathsOf(route).map((path) => ({ method: route.method, path, ...words })) : []
    })
  const same = Map.groupBy(lines, ({ path, operation }) => `${path} ${operation}`)
  return [...same.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, method: [first, ...others].map(({ method }) => method).join(', ') }] : [],
  )
}

type Documented = { readonly catalog: Catalog; readonly settings: ServiceSettings; readonly own: EngineRoutes }

/**
 * All operations of the document, at each of their paths, without the paths in `known`. Parameters
 * are written `:id`.
 */
export function documentedLines({ catalog, settings, own }: Documented, known: ReadonlySet<string>): RouteLine[] {
  const schemes = own.flatMap(({ credentials = [] }) => credentials)
  const { security: usual, paths } = makeOpenapi(catalog, settings, own) as unknown as Document
  return Object.entries(paths).flatMap(([template, item]) => {
    const also = (item['x-also-at'] ?? []) as readonly string[]
    return Object.entries(item).flatMap(([method, one]) => {
      if (!methods.includes(method)) return []
      const operation = one as Operation
      const line = {
        method: method.toUpperCase(),
        operation: operation.operationId,
        who: whoMay(operation.security ?? usual, schemes),
        answers: answersOf(operation),
      }
      return [template, ...also]
        .map((path) => ({ ...line, path: path.replace(/\{(\w+)\}/g, ':$1') }))
        .filter(({ method, path }) => !known.has(`${method} ${path}`))
    })
  })
}
