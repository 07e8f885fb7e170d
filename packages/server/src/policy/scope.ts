/** Scopes of API keys: `products:read`, `orders:cancel`, `orders:*`. A scope only takes permissions away. */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { factsOf } from '../resource/operation-kind.ts'

/** Whether one of the scopes covers this operation of this resource. `null` covers everything. */
export function covers(scopes: readonly string[] | null, resource: Resource, operation: string): boolean {
  if (scopes === null) return true
  const side = factsOf(operation).reads ? 'read' : 'write'
  return scopes.some((scope) => {
    const [slug, verb] = scope.split(':')
    return slug === resource.slug && (verb === '*' || verb === side || verb === operation)
  })
}

/** What is wrong with a list of scopes, or nothing. `findScopeProblem(catalog, ['books:fly'])` → a sentence */
export function findScopeProblem(catalog: Catalog, scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'scopes must name at least one scope; leave it out for all that the owner may do'
  for (const scope of scopes) {
    const [slug, verb, ...rest] = scope.split(':')
    const resource = [...catalog.resources.values()].find(
      (one) => one.slug === slug && Object.keys(one.access).length > 0,
    )
    if (!resource || rest.length > 0)
      return `scopes has ${scope}, which names no resource; use for example products:read`
    const verbs = ['*', 'read', 'write', ...Object.keys(resource.access)]
    if (!verbs.includes(verb ?? '')) return `scopes has ${scope}; for ${slug} there are ${verbs.join(', ')}`
  }
  return undefined
}
