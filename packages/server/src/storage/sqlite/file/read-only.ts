/**
 * The other connections to files: one that writes nothing, whatever it meets, and one to a file
 * that is only a lock.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** A file with options of SQLite's (sqlite.org/uri.html). */
export function addressOf(path: string, options: string): URL {
  return new URL(`${pathToFileURL(path).href}?${options}`)
}

/**
 * `alone`: without the log, and without making one, which would belong to the user who runs this.
 */
export function openReadOnly(path: string, alone: boolean): DatabaseSync {
  const address = addressOf(path, alone ? 'immutable=1' : 'mode=ro')
  return new DatabaseSync(address, { readOnly: true, timeout: 2_000 })
}

/** A file that is only a lock, beside a database. */
export function openLockFile(path: string): DatabaseSync {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  return new DatabaseSync(path, { timeout: 0 })
}

/** A database of no file, for statements to be understood by. */
export function openMemory(): DatabaseSync {
  return new DatabaseSync(':memory:')
}
