/** Finds shared views that one tenant would see of another, and a second resource of them. */
import { engineTraits } from '../define.ts'
import type { DeclarationCheck } from './declaration-check.ts'

export function checkViews({ declared, tenancies, report }: DeclarationCheck): void {
  if (declared[engineTraits]?.holds !== 'views' || declared.tenant !== undefined) return
  const [tenancy] = tenancies
  if (tenancy)
    report(
      'sharedViews',
      `a view would be seen in every ${tenancy.tenancyOf}: say tenant: '${tenancy.tenancyOf}', the resource of tenants`,
    )
}
