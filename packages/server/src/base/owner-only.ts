/**
 * Files that only their owner may open. A file from a backup, or one that a person copied there,
 * may have wider modes. Each start therefore removes the permissions of other users.
 */
import { chmodSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'

const permissions = 0o777
const ofOthers = 0o077

/** `0o100600` → `0600` */
export function octal(mode: number): string {
  return (mode & permissions).toString(8).padStart(4, '0')
}

/**
 * Does nothing where there is no such file. Reports the modes that it changed or could not change.
 */
export function restrictToOwner(path: string, report: (message: string) => void): void {
  // Windows uses access control lists, and `mode` says nothing
  if (process.platform === 'win32') return
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.mode & ofOthers) === 0) return
  try {
    chmodSync(path, stats.mode & permissions & ~ofOthers)
    report(`${path} had the mode ${octal(stats.mode)}; now only its owner may open it`)
  } catch {
    report(`${path} has the mode ${octal(stats.mode)}, which cannot be changed: others may read what is stored`)
  }
}

const sticky = 0o1000

/**
 * The same for the data folder. A folder that is not the service's alone keeps its modes: a shared
 * temporary folder, a home, the application itself.
 */
export function restrictFolderToOwner(folder: string, report: (message: string) => void): void {
  const isElse = folder === resolve('.') || folder === homedir() || folder === '/'
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!isElse && stats && (stats.mode & sticky) === 0) restrictToOwner(folder, report)
}
