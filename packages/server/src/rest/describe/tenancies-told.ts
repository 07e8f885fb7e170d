/** Tells a caller its tenants, for front ends that let people choose one. */
import type { TenancyDescription } from '../../client/resource-description.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import type { Principal } from '../../resource/principal.ts'

type ToldTo = { readonly principal: Principal; readonly slugs: readonly string[] }

/**
 * Those of the resources that the caller may use, by their slugs. In a request that names a tenant,
 * no other one is told.
 */
export function tenanciesFor({ catalog, policy }: EdgeEngine, { principal, slugs }: ToldTo): TenancyDescription[] {
  const known = [...catalog.tenancies].filter(([, { tenant }]) => slugs.includes(tenant.slug))
  return known.map(([name, { tenant }]) => {
    const memberships = principal.kind === 'user' ? (principal.memberships?.[name] ?? []) : []
    const named = principal.tenant?.name === name ? principal.tenant.id : undefined
    return {
      name,
      resource: tenant.slug,
      isAbove: policy.tenants?.isAbove(principal, name) ?? false,
      memberships: memberships
        .filter(({ id }) => named === undefined || id === named)
        .map(({ id, role }) => ({ id: id as string | number, role })),
    }
  })
}
