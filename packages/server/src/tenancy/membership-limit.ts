/**
 * Limits the memberships of one user: all of them are read with the credential. Those that others
 * make end at half, so strangers cannot keep a user from clubs of its own and from invitations.
 * Groups count within their tenant, so those of one tenant say nothing about another.
 */
import { ApiError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { tenantOf } from '../record/references/tenant-of-record.ts'
import type { WriteStep } from '../record/stages.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { ofTenant } from '../resource/tenancy/in-tenant.ts'
import type { MemberTable } from '../resource/tenancy/tenancies.ts'
import { consoleCredential } from '../storage/changes.ts'
import type { Values } from '../storage/storage.ts'

const { membershipsOfUserMax: max, membershipsByOthersMax } = limits

const tooMany = ({ of }: MemberTable) =>
  new ApiError('conflict', `A user may be a member of at most ${max} ${of.plural}`)

/** For a user who joins by an invitation, and proved to be that user. Throws `conflict`. */
export async function checkMayJoin(tx: RecordTransaction, table: MemberTable, userId: Scalar): Promise<void> {
  if ((await tx.count(table.resource, equal(table.user, userId))) >= max) throw tooMany(table)
}

/** The memberships that count together with this one. */
async function countedWith(
  tx: RecordTransaction,
  { of, resource, user }: MemberTable,
  row: Values,
): Promise<Condition> {
  const own = equal(user, row[user] as Scalar)
  const { scope } = resource
  if (tx.catalog.tenancies.has(of.name) || !scope) return own
  const tenant = await tenantOf(tx, resource, row)
  return tenant === null ? own : all(own, ofTenant(scope, tenant))
}

/** Throws `conflict`. Other members are not told why: the number is about other tenants. */
export function limitMemberships(table: MemberTable): WriteStep {
  const { of, resource, user } = table
  return {
    name: 'number of memberships',
    resources: [resource],
    fields: [user],
    async settled({ tx, before, row }) {
      const userId = (row[user] ?? null) as Scalar | null
      if (userId === null || before?.[user] === userId) return
      const { author } = tx
      const isOwn = author.userId === userId || author.credential === consoleCredential
      const most = isOwn || !tx.catalog.tenancies.has(of.name) ? max : membershipsByOthersMax
      if ((await tx.count(resource, await countedWith(tx, table, row))) < most) return
      throw isOwn ? tooMany(table) : new ApiError('conflict', 'This user cannot join now')
    },
  }
}
