/** Sessions that end by a refresh token: its owner logs out, or it comes back although it was exchanged, so somebody else has it. */
import type { Writing } from '../../record/records.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { tellAudit } from '../audit/audit.ts'
import type { Marks } from '../marks.ts'

export type Ending = 'log-out' | 'refresh-reused'

/** Does nothing where there is no such session any more. */
export async function endSession(
  writing: Writing,
  { resource, mark }: Marks['session'],
  { id, why: event }: { readonly id: Scalar; readonly why: Ending },
): Promise<void> {
  const row = (await writing.lock(resource, equal(resource.idField, id), { toDelete: true }))?.row
  if (!row) return
  const userId = row[mark.owner] as Scalar
  const by =
    event === 'log-out' ? { actorId: userId, credential: `session:${id}` } : { actorId: null, credential: null }
  await tellAudit(writing, { event, userId, ...by, details: { session: id }, covers: { resource, row } })
  await writing.remove(resource, row)
}
