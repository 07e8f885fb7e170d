/**
 * Creating a tenant also makes the membership of its creator, with the highest role and in the same
 * transaction. The console and anonymous callers have no user, so they get none. An operator above
 * tenants who imports them gets none either: an import brings its memberships along.
 */
import type { WriteStep } from '../record/stages.ts'
import type { Tenancy } from '../resource/tenancy/tenancies.ts'
import type { IsAboveTenants } from './above-tenants.ts'

export function makeCreatorMembership({ tenant, members }: Tenancy, isAbove: IsAboveTenants): WriteStep {
  const { resource, by, user, role, roles, status, activeStatus } = members
  return {
    name: 'membership of the creator',
    resources: [tenant],
    async created(tx, { caller, kind, row }) {
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
  }
}
