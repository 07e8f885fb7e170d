/** Finds references of API keys by which a key would outlive the tenant that it is bound to. */
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { referencesTo } from '../tenancy/tenant-path.ts'
import { tenantNames } from '../tenancy/tenant-words.ts'

/** A key of a tenant that is deleted would be bound to none, and so would reach more. */
export function checkBoundKeys({ declared, tenancies, report }: DeclarationCheck): void {
  const bound = [...tenantNames(tenancies)].flatMap((tenant) => referencesTo(declared, tenant))
  for (const name of bound)
    if (declared.fields[name]?.reference?.onDelete !== 'delete')
      report(
        `field "${name}"`,
        "binds the key to a tenant, so its onDelete must be 'delete': the key ends with the tenant, and is never bound to none",
      )
  if (bound.length > 1)
    report(
      'fields',
      `${bound.join(' and ')} refer to tenants, and a key is bound to one: leave one of these references`,
    )
}
