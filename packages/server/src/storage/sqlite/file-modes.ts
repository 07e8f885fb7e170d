/** Whoever may read the files of a database may read every hash and address in it. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { leaveToOwner } from '../../owner-only.ts'
import type { SqliteSetup } from './setup.ts'

const sticky = 0o1000

/** A folder that is more than the service's own is left alone: a temporary folder of all, a home, the application itself. */
function isOwnFolder({ path, dataDir }: SqliteSetup): boolean {
  const isElse = dataDir === resolve('.') || dataDir === homedir() || dataDir === '/'
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  return dirname(path) === dataDir && !isElse && stats !== undefined && (stats.mode & sticky) === 0
}

/** Leaves the data folder and the files in it to their owner. Says so, and also where it cannot. */
export function tightenModes(setup: SqliteSetup, report: (message: string) => void): void {
  const { path, dataDir } = setup
  if (isOwnFolder(setup)) leaveToOwner(dataDir, report)
  for (const file of [path, `${path}-wal`, `${path}-shm`]) leaveToOwner(file, report)
}
