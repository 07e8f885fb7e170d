/** The paths that belong to no resource, as the OpenAPI document has them: log-ins, accounts, second factors, keys. */
import { makeOpenapi } from '../../openapi/make-openapi.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { Settings } from '../../resource/rule.ts'

/** One line of `bindery routes`. */
export type Line = {
  readonly method: string
  readonly path: string
  readonly operation: string
  readonly who: string
  readonly answers: string
}

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

/** No requirement, or an empty one among them, lets everybody in. */
function whoMay(security: Requirements): string {
  if (security.some((one) => Object.hasOwn(one, 'refreshCookie'))) return 'holder of a refresh token'
  return security.every((one) => Object.keys(one).length > 0) && security.length > 0 ? 'any user' : 'anyone'
}

function answersOf({ responses }: Operation): string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return successes.map(([status, { description = '' }]) => `${status} ${description.replace(/\.$/, '')}`).join('; ')
}

/** Every operation of the document, at each of its paths, but for the paths in `known`. Parameters are written `:id`. */
export function documentedLines(catalog: Catalog, settings: Settings, known: ReadonlySet<string>): Line[] {
  const { security: usual, paths } = makeOpenapi(catalog, settings) as unknown as Document
  return Object.entries(paths).flatMap(([template, item]) => {
    const also = (item['x-also-at'] ?? []) as readonly string[]
    return Object.entries(item).flatMap(([method, one]) => {
      if (!methods.includes(method)) return []
      const operation = one as Operation
      const line = {
        method: method.toUpperCase(),
        operation: operation.operationId,
        who: whoMay(operation.security ?? usual),
        answers: answersOf(operation),
      }
      return [template, ...also]
        .map((path) => ({ ...line, path: path.replace(/\{(\w+)\}/g, ':$1') }))
        .filter(({ method, path }) => !known.has(`${method} ${path}`))
    })
  })
}
