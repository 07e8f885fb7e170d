/**
 * Ends a session by its refresh token: at a log-out, or when a used token comes back, because
 * another client then has it too.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { recordAudit } from '../audit/audit.ts'
import type { IdentityTables } from '../identity-tables.ts'

export type SessionEndReason = 'log-out' | 'refresh-reused'

/** Does nothing where there is no such session any more. */
export async function endSession(
  tx: RecordTransaction,
  { resource, mark }: IdentityTables['session'],
  { id, why: event }: { readonly id: Scalar; readonly why: SessionEndReason },
): Promise<void> {
  const row = (await tx.lock(resource, equal(resource.idField, id), { toDelete: true }))?.row
  if (!row) return
  const userId = row[mark.owner] as Scalar
  const by =
    event === 'log-out' ? { actorId: userId, credential: `session:${id}` } : { actorId: null, credential: null }
  await recordAudit(tx, { event, userId, ...by, details: { session: id }, covers: { resource, row } })
  await tx.remove(resource, row)
}
