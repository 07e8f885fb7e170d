/**
 * Whoever may read the files of a database may read every hash and address in it. Files that come back from a backup have the modes of
 * whatever wrote them, so each start takes what others may do away.
 */
import { chmodSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { SqliteSetup } from './setup.ts'

const permissions = 0o777
const ofOthers = 0o077
const sticky = 0o1000

function octal(mode: number): string {
  return (mode & permissions).toString(8).padStart(4, '0')
}

/** A folder that is more than the service's own is left alone: a temporary folder of all, a home, the application itself. */
function isOwnFolder({ path, dataDir }: SqliteSetup, { mode }: Stats): boolean {
  const isElse = dataDir === resolve('.') || dataDir === homedir() || dataDir === '/'
  return dirname(path) === dataDir && !isElse && (mode & sticky) === 0
}

/** Leaves the data folder and the files in it to their owner. Says so, and also where it cannot. */
export function tightenModes(setup: SqliteSetup, report: (message: string) => void): void {
  if (process.platform === 'win32') return // there a folder's list says who may, and `mode` says nothing
  const { path, dataDir } = setup
  for (const file of [dataDir, path, `${path}-wal`, `${path}-shm`]) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats || (stats.mode & ofOthers) === 0) continue
    if (stats.isDirectory() && !isOwnFolder(setup, stats)) continue
    try {
      chmodSync(file, stats.mode & permissions & ~ofOthers)
      report(`${file} had the mode ${octal(stats.mode)}; now only its owner may open it`)
    } catch {
      report(`${file} has the mode ${octal(stats.mode)}, which cannot be changed: others may read what is stored`)
    }
  }
}
