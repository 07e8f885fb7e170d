/** All write steps of tenancies, in the order in which they run. */
import type { Identity } from '../accounts/identity.ts'
import { ApiError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import type { MemberTable } from '../resource/tenancy/tenancies.ts'
import { makeIsAboveTenants } from './above-tenants.ts'
import { makeCreatorMembership } from './creator-membership.ts'
import { checkGrantedMemberships } from './granted-memberships.ts'
import { invitationSteps } from './invitations.ts'
import { keepLastHolder } from './last-holder.ts'

/**
 * Limits the memberships of one user: all of them are read with the credential. Throws `conflict`.
 */
function limitMemberships({ resource, of, user }: MemberTable): WriteStep {
  const max = limits.membershipsOfUserMax
  return {
    name: 'number of memberships',
    resources: [resource],
    fields: [user],
    async settled({ tx, before, row }) {
      const userId = (row[user] ?? null) as Scalar | null
      if (userId === null || before?.[user] === userId) return
      if ((await tx.count(resource, equal(user, userId))) >= max)
        throw new ApiError('conflict', `A user may be a member of at most ${max} ${of.plural}`)
    },
  }
}

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
      ...tables.map((table) => checkGrantedMemberships(table, { tenancy, isAbove })),
      ...tables.map(limitMemberships),
      keepLastHolder(tenancy.members),
      ...invitationSteps(tenancy, { isAbove, identity: deps.identity }),
    ]
  })
}
