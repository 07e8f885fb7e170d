/** Limits the memberships of one user: all of them are read with the credential. */
import { ApiError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { WriteStep } from '../record/stages.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { MemberTable } from '../resource/tenancy/tenancies.ts'
import { consoleCredential } from '../storage/changes.ts'

const max = limits.membershipsOfUserMax

async function isFull(tx: RecordTransaction, { resource, user }: MemberTable, userId: Scalar): Promise<boolean> {
  return (await tx.count(resource, equal(user, userId))) >= max
}

const tooMany = ({ of }: MemberTable) =>
  new ApiError('conflict', `A user may be a member of at most ${max} ${of.plural}`)

/** For a user who joins by an invitation, and proved to be that user. Throws `conflict`. */
export async function checkMayJoin(tx: RecordTransaction, table: MemberTable, userId: Scalar): Promise<void> {
  if (await isFull(tx, table, userId)) throw tooMany(table)
}

/** Throws `conflict`. Other members are not told why: the number is about other tenants. */
export function limitMemberships(table: MemberTable): WriteStep {
  const { resource, user } = table
  return {
    name: 'number of memberships',
    resources: [resource],
    fields: [user],
    async settled({ tx, before, row }) {
      const userId = (row[user] ?? null) as Scalar | null
      if (userId === null || before?.[user] === userId || !(await isFull(tx, table, userId))) return
      const { author } = tx
      if (author.userId === userId || author.credential === consoleCredential) throw tooMany(table)
      throw new ApiError('conflict', 'This user cannot join now')
    },
  }
}
