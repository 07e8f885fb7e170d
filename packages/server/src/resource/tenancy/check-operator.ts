/**
 * Finds operators of tenancies that callers without a credential satisfy. They would stand above
 * all tenants. The rule is asked itself, so this needs the catalog.
 */
import { anonymous } from '../principal.ts'
import type { JudgedCatalog, RulePart, ServiceSettings } from '../rule.ts'
import type { DeclaredTenancy } from './define-tenancy.ts'

/** Rules without alternatives judge these callers alike under every configuration. */
const anySettings: ServiceSettings = { currency: 'USD', signUp: 'open' }
const anyTime = () => '2000-01-01T00:00:00.000Z'

/** Whether such a caller passes under some configuration. */
function admitsAnonymous(part: RulePart, catalog: JudgedCatalog): boolean {
  const { rule, resource } = part
  if (rule.type.needsKey(rule, anySettings)) return false
  const parts = rule.type.parts(rule, { catalog, resource })
  const admits = (one: RulePart) => admitsAnonymous(one, catalog)
  if (parts.some(({ isAlternative }) => isAlternative)) return parts.some(admits)
  if (parts.length > 0 && !parts.some(({ isNegated }) => isNegated)) return parts.every(admits)
  const asked = { catalog, settings: anySettings, resource, principal: anonymous, now: anyTime }
  return rule.type.where(rule, asked).kind !== 'false'
}

/** One line for each tenancy with such an operator. */
export function findOpenOperators(catalog: JudgedCatalog, tenancies: readonly DeclaredTenancy[]): string[] {
  return tenancies.flatMap(({ tenancyOf, writtenIn, declaration: { operator: rule } }) =>
    rule && admitsAnonymous({ rule, resource: catalog.get(tenancyOf) }, catalog)
      ? [
          `${writtenIn}: defineTenancy("${tenancyOf}"): operator: admits callers without a credential, who would stand above all tenants; name a role, such as role('SUPPORT')`,
        ]
      : [],
  )
}
