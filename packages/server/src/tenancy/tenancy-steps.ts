/** All write steps of tenancies, in the order in which they run. */
import type { Identity } from '../accounts/identity.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { makeIsAboveTenants } from './above-tenants.ts'
import { makeCreatorMembership } from './creator-membership.ts'
import { checkGrantedMemberships } from './granted-memberships.ts'
import { invitationSteps } from './invitations.ts'
import { keepLastHolder } from './last-holder.ts'
import { limitMemberships } from './membership-limit.ts'

type TenancyStepDeps = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  /** Called when a step runs. */
  readonly identity: () => Identity
}

export function tenancySteps(deps: TenancyStepDeps): WriteStep[] {
  return [...deps.catalog.tenancies.values()].flatMap((tenancy) => {
    const isAbove = makeIsAboveTenants(tenancy, deps)
    const tables = [tenancy.members, ...tenancy.groups.values()]
    return [
      makeCreatorMembership(tenancy, isAbove),
      ...tables.map((table) => checkGrantedMemberships(table, { catalog: deps.catalog, tenancy, isAbove })),
      ...tables.map(limitMemberships),
      keepLastHolder(tenancy.members),
      ...invitationSteps(tenancy, { catalog: deps.catalog, isAbove, identity: deps.identity }),
    ]
  })
}
