/** Whether a caller stands above all tenants: at the console, or by the rule of the tenancy. */
import type { Catalog } from '../resource/catalog.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import type { Tenancy } from '../resource/tenancy/tenancies.ts'

export type IsAboveTenants = (caller: Principal) => boolean

type AboveTenantsDeps = { readonly catalog: Catalog; readonly settings: ServiceSettings }

/** A rule about the caller alone never depends on the time. */
const anyTime = () => '2000-01-01T00:00:00.000Z'

export function makeIsAboveTenants(
  { operator, tenant }: Tenancy,
  { catalog, settings }: AboveTenantsDeps,
): IsAboveTenants {
  return (principal) => {
    if (isAtConsole(principal)) return true
    if (!operator) return false
    return (
      operator.type.where(operator, { catalog, settings, resource: tenant, principal, now: anyTime }).kind === 'true'
    )
  }
}
