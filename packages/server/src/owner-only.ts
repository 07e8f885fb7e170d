/**
 * Files that their owner alone may open. What comes back from a backup, or is put there by hand, has the modes of whatever wrote it, so each start
 * takes what others may do away.
 */
import { chmodSync, statSync } from 'node:fs'

const permissions = 0o777
const ofOthers = 0o077

/** `0o100600` → `0600` */
export function octal(mode: number): string {
  return (mode & permissions).toString(8).padStart(4, '0')
}

/** Does nothing where there is no such file. Says what it changed, and what it cannot change. */
export function leaveToOwner(path: string, report: (message: string) => void): void {
  if (process.platform === 'win32') return // there a folder's list says who may, and `mode` says nothing
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.mode & ofOthers) === 0) return
  try {
    chmodSync(path, stats.mode & permissions & ~ofOthers)
    report(`${path} had the mode ${octal(stats.mode)}; now only its owner may open it`)
  } catch {
    report(`${path} has the mode ${octal(stats.mode)}, which cannot be changed: others may read what is stored`)
  }
}
