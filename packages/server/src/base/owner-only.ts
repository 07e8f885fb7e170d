/**
 * Files that their owner alone may open. What comes back from a backup, or is put there by hand,
 * has the modes of whatever wrote it, so each start takes what others may do away.
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

/** Does nothing where there is no such file. Says what it changed, and what it cannot change. */
export function restrictToOwner(path: string, report: (message: string) => void): void {
  // there a folder's list says who may, and `mode` says nothing
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
 * The same for the data folder. One that is more than the service's own is left alone: a temporary
 * folder of all, a home, the application itself.
 */
export function restrictFolderToOwner(folder: string, report: (message: string) => void): void {
  const isElse = folder === resolve('.') || folder === homedir() || folder === '/'
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!isElse && stats && (stats.mode & sticky) === 0) restrictToOwner(folder, report)
}
