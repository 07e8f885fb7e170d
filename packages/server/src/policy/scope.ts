/**
 * Scopes of API keys: `products:read`, `orders:cancel`, `orders:*`. A scope only takes permissions
 * away. Only a key whose scopes name them can manage keys, sessions and credentials: a leaked key
 * must not be able to outlive its own revocation.
 */

import type { Catalog, Resource } from '../resource/catalog.ts'
import { endpointSlug, freeEndpointNames, readsBy } from '../resource/endpoints/endpoint-operations.ts'
import { factsOf } from '../resource/operation-kind.ts'
import type { UserPrincipal } from '../resource/principal.ts'
import { traitsOfAction } from '../resource/traits.ts'

/** The first part of the scope of keys that means what people log in with: `credentials:write`. */
export const credentialSlug = 'credentials'

type ScopedPrincipal = Pick<UserPrincipal, 'via' | 'scopes' | 'viewer'>

/**
 * `credentials:write` names no resource: users are written by `users:write`, and what they log in
 * with by this one as well.
 */
const credentialVerbs = ['write', '*']

/** Whether the caller may change credentials, as far as the scopes say. */
export function managesCredentials({ via, scopes, viewer }: ScopedPrincipal): boolean {
  if (viewer) return false
  return via !== 'key' || credentialVerbs.some((verb) => scopes?.includes(`${credentialSlug}:${verb}`))
}

/**
 * Whether the operation works on a credential itself: a second factor, or the address that proves
 * an account.
 */
function isOnCredentials(resource: Resource, operation: string): boolean {
  return resource.traits.isCredential === true || traitsOfAction(resource, operation).isOfCredentials === true
}

/**
 * Whether the scopes name this operation of this resource. No scopes name every one but the writes
 * that need a scope of their own. An operator that views a user reaches no credential of the user.
 */
export function coversWithoutCredentials(
  { via, scopes, viewer }: ScopedPrincipal,
  resource: Resource,
  operation: string,
): boolean {
  const reads = readsBy(resource, operation)
  if (viewer && (resource.traits.letsIn || resource.traits.isCredential)) return false
  if (!reads && isOnCredentials(resource, operation)) return managesCredentials({ via, scopes })
  if (scopes === null) return via !== 'key' || reads || !resource.traits.letsIn
  return scopes.some((scope) => {
    const [slug, verb] = scope.split(':')
    return slug === resource.slug && (verb === '*' || verb === (reads ? 'read' : 'write') || verb === operation)
  })
}

/** The same for an endpoint that is on no resource: `_endpoints:priceList`. */
export function coversEndpoint({ scopes }: ScopedPrincipal, name: string, reads: boolean): boolean {
  return (
    scopes === null || ['*', reads ? 'read' : 'write', name].some((verb) => scopes.includes(`${endpointSlug}:${verb}`))
  )
}

/**
 * Whether the caller may do this, as far as the scopes say. A user may be updated for the
 * credentials alone.
 */
export function covers(principal: ScopedPrincipal, resource: Resource, operation: string): boolean {
  if (coversWithoutCredentials(principal, resource, operation)) return true
  return resource.traits.credentials.length > 0 && operation === 'update' && managesCredentials(principal)
}

/** Whether all that the scope allows is allowed by the others. */
function isWithin(scope: string, others: readonly string[]): boolean {
  const [slug, verb = ''] = scope.split(':')
  const has = (one: string) => others.includes(`${slug}:${one}`)
  if (has('*') || has(verb)) return true
  if (verb === '*') return has('read') && has('write')
  return verb !== 'read' && verb !== 'write' && has(factsOf(verb).reads ? 'read' : 'write')
}

/** Whether a key with these scopes, null for all, can do no more than the caller. */
export function isWithinScopes({ via, scopes }: ScopedPrincipal, asked: readonly string[] | null): boolean {
  if (via !== 'key' || scopes === null) return true
  return asked?.every((scope) => isWithin(scope, scopes)) ?? false
}

/**
 * The mistake in a list of scopes, or nothing. `findScopeProblem(catalog, ['books:fly'])` → a
 * sentence
 */
export function findScopeProblem(catalog: Catalog, scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'scopes must name at least one scope; leave it out for all that the owner may do'
  for (const scope of scopes) {
    const [slug, verb = '', ...rest] = scope.split(':')
    const resource = [...catalog.resources.values()].find(
      (one) => one.slug === slug && Object.keys(one.access).length > 0,
    )
    const free = slug === endpointSlug ? freeEndpointNames(catalog) : []
    const isCredentials = slug === credentialSlug
    if ((!resource && !isCredentials && free.length === 0) || rest.length > 0) {
      const which = catalog.roles.abilities.includes(scope) ? 'an ability of roles that' : 'which'
      return `scopes has ${scope}, ${which} names no resource; use for example products:read`
    }
    const verbs = isCredentials
      ? credentialVerbs
      : ['*', 'read', 'write', ...Object.keys(resource?.access ?? {}), ...free]
    if (!verbs.includes(verb)) return `scopes has ${scope}; for ${slug} there are ${verbs.join(', ')}`
  }
  return undefined
}
