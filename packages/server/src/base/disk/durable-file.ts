/** Writes files so that each is complete or absent, even after a power failure. */
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Makes new files and new names in the folder durable (fsync). */
export function syncFolderOf(path: string): void {
  try {
    sync(dirname(path))
  } catch {
    // Windows and some network file systems cannot sync a folder
  }
}

/** Errors of file systems that have no links (exFAT, some shares). */
const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** A link never replaces another file, which a rename does. False where there are no links. */
function linkAs(file: string, path: string): boolean {
  try {
    linkSync(file, path)
    return true
  } catch (error) {
    if (withoutLinks.includes((error as NodeJS.ErrnoException).code)) return false
    throw error
  }
}

/**
 * Renames the file where the name is free. Each file is complete, also after a kill. Of two
 * processes that find the name free at the same moment, the later one replaces the file.
 */
function renameTo(file: string, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST' })
  renameSync(file, path)
}

/**
 * Gives a complete file on the same disk its name. Throws `EEXIST` where that is taken, unless it
 * may be replaced.
 */
export function placeFile(file: string, path: string, replace = false): void {
  sync(file)
  if (replace) renameSync(file, path)
  else if (linkAs(file, path)) rmSync(file)
  else renameTo(file, path)
  syncFolderOf(path)
}
