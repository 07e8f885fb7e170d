/**
 * Notes in a session that its user has shown a second factor: it then outlasts a role that demands
 * one.
 */
import type { Writing } from '../../record/records.ts'
import type { Marks } from '../marks.ts'

/** Does nothing without a session, and where sessions have no field for it. */
export async function noteFactor(
  writing: Pick<Writing, 'changeAll' | 'defaults'>,
  { resource, mark }: Marks['session'],
  id: string | undefined,
): Promise<void> {
  if (id === undefined || mark.factorAt === undefined) return
  await writing.changeAll(resource, [id], { [mark.factorAt]: writing.defaults.now })
}
