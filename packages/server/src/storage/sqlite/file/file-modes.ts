/** Whoever may read the files of a database may read every hash and address in it. */
import { restrictToOwner } from '../../../base/owner-only.ts'
import type { SqliteSetup } from './setup.ts'

/** Leaves the files to their owner. Says so, and also where it cannot. */
export function tightenModes({ path }: SqliteSetup, report: (message: string) => void): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) restrictToOwner(file, report)
}
