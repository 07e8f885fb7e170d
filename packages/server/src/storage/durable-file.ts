/** Files that are there whole or not at all, also after the power has failed. */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** What has been made in the folder, or named there, stays. */
export function syncFolderOf(path: string): void {
  try {
    sync(dirname(path))
  } catch {
    // Windows and some network file systems have no such thing
  }
}

/**
 * Gives a complete file on the same disk its name. Throws `EEXIST` where that is taken, unless it
 * may be replaced.
 */
export function placeFile(file: string, path: string, replace = false): void {
  sync(file)
  if (replace) renameSync(file, path)
  else {
    linkSync(file, path) // unlike a rename, it never takes the place of another file
    rmSync(file)
  }
  syncFolderOf(path)
}
