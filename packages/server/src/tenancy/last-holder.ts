/**
 * Keeps at least one member with the highest role in each tenant, on every path of a write: without
 * one, no member could make another. A tenant that is deleted takes its memberships along.
 */
import { ApiError } from '../errors.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { WriteStep } from '../record/stages.ts'
import { all, type Condition, equal, not, type Scalar } from '../resource/condition.ts'
import { isMember, type MemberTable } from '../resource/tenancy/tenancies.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Values } from '../storage/storage.ts'
import { activeMemberships } from './caller-memberships.ts'

function isHolder(members: MemberTable, row: Values): boolean {
  return row[members.role] === members.roles.highest && row[members.by] !== null && isMember(members, row)
}

function holdersBut(members: MemberTable, tenant: Scalar, going: readonly unknown[]): Condition {
  const { resource, by, user, role, roles } = members
  return all(
    equal(by, tenant),
    equal(role, roles.highest),
    { kind: 'null', field: user, isNull: false },
    activeMemberships(members),
    not({ kind: 'in', field: resource.idField, values: going as Scalar[] }),
  )
}

/**
 * Throws `conflict` when the tenant has no holder of the highest role but these. The one that is
 * left is locked until the transaction ends. So of two holders who leave at once one stays.
 */
async function checkOneIsLeft(
  tx: RecordTransaction,
  members: MemberTable,
  { tenant, going }: { readonly tenant: Scalar; readonly going: readonly unknown[] },
): Promise<void> {
  const { resource, of, roles } = members
  const sort = [{ field: resource.idField, descending: false }]
  const [left] = await tx.lockAll(resource, { where: holdersBut(members, tenant, going), sort, limit: 1 })
  if (left) return
  const whose = inSentence(of.label)
  throw new ApiError(
    'conflict',
    `This is the last ${roles.highest} of the ${whose}, who cannot leave, be demoted or be removed; give another member the role first`,
  )
}

export function keepLastHolder(members: MemberTable): WriteStep {
  const { resource, of, by, user, role, status } = members
  return {
    name: 'keep the last holder',
    resources: [resource],
    fields: [by, user, role, ...(status === undefined ? [] : [status])],
    async settled({ tx, before, row }) {
      if (!before || !isHolder(members, before)) return
      const stays = isHolder(members, row) && row[by] === before[by]
      if (!stays) await checkOneIsLeft(tx, members, { tenant: before[by] as Scalar, going: [before[resource.idField]] })
    },
    async beforeDelete({ tx, rows, going: removed }) {
      const goingTenants = removed.get(of)
      const holders = rows.filter((row) => isHolder(members, row) && !goingTenants?.has(row[by]))
      const going = rows.map((row) => row[resource.idField])
      for (const tenant of new Set(holders.map((row) => row[by] as Scalar)))
        await checkOneIsLeft(tx, members, { tenant, going })
    },
  }
}
