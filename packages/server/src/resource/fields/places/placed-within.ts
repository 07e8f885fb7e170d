/** The fields whose values the records of one manual order share: its own, and the tenant. */
import type { Resource } from '../../resolved-resource.ts'
import { ownTenantField } from '../../tenancy/scope-resource.ts'

export function placedWithin(resource: Pick<Resource, 'placed' | 'scope'>): readonly string[] {
  const own = ownTenantField(resource)
  return [...new Set([...(own === undefined ? [] : [own]), ...(resource.placed?.within ?? [])])]
}
