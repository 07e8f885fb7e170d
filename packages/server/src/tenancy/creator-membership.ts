/**
 * Creating a tenant also makes the membership of its creator, with the highest role and in the same
 * transaction. The console and anonymous callers have no user, so they get none. An operator above
 * tenants who imports them gets none either: an import brings its memberships along.
 * A request that names a tenant makes no other one.
 */
import { forbidden } from '../policy/judge.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Principal } from '../resource/principal.ts'
import type { Tenancy } from '../resource/tenancy/tenancies.ts'
import { inSentence, withArticle } from '../resource/words/names.ts'
import type { IsAboveTenants } from './above-tenants.ts'

function checkUnbound({ tenant }: Tenancy, caller: Principal): void {
  if (caller.tenant?.name !== tenant.name) return
  const whose = inSentence(tenant.label)
  throw forbidden(
    `This request is bound to one ${whose}: make another without X-Tenant, and by no key of ${withArticle(whose)}`,
  )
}

export function makeCreatorMembership(tenancy: Tenancy, isAbove: IsAboveTenants): WriteStep {
  const { tenant, members } = tenancy
  const { resource, by, user, role, roles, status, activeStatus } = members
  return {
    name: 'membership of the creator',
    resources: [tenant],
    /** Before unique keys are looked at, which would tell of other tenants. */
    check({ caller, kind }) {
      if (kind === 'create') checkUnbound(tenancy, caller)
    },
    async created(tx, { caller, kind, row }) {
      checkUnbound(tenancy, caller)
      if (caller.kind !== 'user' || caller.via === 'console') return
      if (kind === 'import' && isAbove(caller)) return
      const values = {
        [by]: row[tenant.idField],
        [user]: caller.userId,
        [role]: roles.highest,
        ...(status !== undefined && { [status]: activeStatus }),
      }
      const inner = tx.deeper()
      await inner.insert(await inner.prepare(resource, values))
    },
    limit: {
      at: 'limits.newTenants',
      words: `a request that is bound to one ${inSentence(tenant.label)} makes no other`,
      kinds: ['create'],
      check: ({ caller }) => checkUnbound(tenancy, caller),
    },
  }
}
