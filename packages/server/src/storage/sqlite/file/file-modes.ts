/**
 * Restricts the files of a database to their owner: each reader of them could read every hash and
 * address.
 */
import { restrictToOwner } from '../../../base/owner-only.ts'
import type { SqliteSetup } from './setup.ts'

/** Removes the rights of other users, and reports whether it could. */
export function tightenModes({ path }: SqliteSetup, report: (message: string) => void): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) restrictToOwner(file, report)
}
