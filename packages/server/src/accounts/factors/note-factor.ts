/**
 * Notes in a session that its user has shown a second factor. The session then stays when the
 * user's role starts to require one.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import type { IdentityTables } from '../identity-tables.ts'

/** Does nothing without a session, and where sessions have no field for it. */
export async function noteFactor(
  writing: Pick<RecordTransaction, 'changeAll' | 'defaults'>,
  { resource, mark }: IdentityTables['session'],
  id: string | undefined,
): Promise<void> {
  if (id === undefined || mark.factorAt === undefined) return
  await writing.changeAll(resource, [id], { [mark.factorAt]: writing.defaults.now })
}
