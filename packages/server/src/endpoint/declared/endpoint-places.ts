/** The paths of an application's endpoints, which no other route may have. */
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { DeclaredEndpoint } from '../../resource/endpoints/endpoint-declaration.ts'
import { targetNameOf } from '../../resource/endpoints/endpoint-operations.ts'
import { partPlace } from '../../resource/parts/check-parts.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { kebabOf } from '../../resource/words/names.ts'

/** An endpoint where it is served. */
export type PlacedEndpoint = {
  readonly declared: DeclaredEndpoint
  /** The resource that it is on. */
  readonly resource: Resource | undefined
  /** The name of the path parameter with the id of its record. */
  readonly idParameter: string | undefined
  /** Below the prefix and the path of a resource: `/products/:id/quote`. */
  readonly path: string
  /** The same at the root. */
  readonly alsoAt: readonly string[]
}

export function placeEndpoint({ resources }: Catalog, declared: DeclaredEndpoint): PlacedEndpoint {
  const { endpoint, partName } = declared
  const name = targetNameOf(endpoint)
  const resource = name === undefined ? undefined : resources.get(name)
  const isOnRecord = endpoint.on?.record !== undefined
  const idParameter = isOnRecord && !resource?.single ? 'id' : undefined
  const path = `${resource?.path ?? ''}${idParameter ? `/:${idParameter}` : ''}/${kebabOf(partName)}`
  return { declared, resource, idParameter, path: `${apiPrefix}${path}`, alsoAt: resource?.atRoot ? [path] : [] }
}

/** `/things/:item_id/x` and `/things/:id/x` are one path. */
function patternOf(path: string): string {
  return path.replace(/:\w+/g, ':')
}

type TakenPath = { readonly path: string; readonly method: string }

/** Throws `StartError` with each endpoint whose path another route has. */
export function checkPlaces(placed: readonly PlacedEndpoint[], others: readonly TakenPath[]): void {
  const taken = new Map(others.map(({ path, method }) => [patternOf(path), `${method} ${path}`]))
  const mistakes: string[] = []
  for (const { declared, path, alsoAt } of placed)
    for (const one of [path, ...alsoAt]) {
      const other = taken.get(patternOf(one))
      if (other !== undefined) mistakes.push(`${partPlace(declared)}: name: its path ${one} is that of ${other}`)
      taken.set(patternOf(one), `the endpoint "${declared.partName}"`)
    }
  if (mistakes.length > 0) throw new StartError(`The declarations have mistakes:\n  ${mistakes.join('\n  ')}`)
}
