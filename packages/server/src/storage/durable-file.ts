/** Writes files so that each is complete or absent, even after a power failure. */
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

/** Makes new files and new names in the folder durable (fsync). */
export function syncFolderOf(path: string): void {
  try {
    sync(dirname(path))
  } catch {
    // Windows and some network file systems cannot sync a folder
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
    linkSync(file, path) // unlike a rename, it never replaces another file
    rmSync(file)
  }
  syncFolderOf(path)
}
