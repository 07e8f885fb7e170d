/**
 * Opens the other connections: read-only ones, which write no byte, and those to files that serve
 * only as a lock.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** A file with options of SQLite's (sqlite.org/uri.html). */
export function addressOf(path: string, options: string): URL {
  return new URL(`${pathToFileURL(path).href}?${options}`)
}

/** `alone`: ignores the log, and creates none, which would belong to the user of this command. */
export function openReadOnly(path: string, alone: boolean): DatabaseSync {
  const address = addressOf(path, alone ? 'immutable=1' : 'mode=ro')
  return new DatabaseSync(address, { readOnly: true, timeout: 2_000 })
}

/** A file that serves only as a lock, beside a database. */
export function openLockFile(path: string): DatabaseSync {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  return new DatabaseSync(path, { timeout: 0 })
}

/** An in-memory database that parses statements. */
export function openMemory(): DatabaseSync {
  return new DatabaseSync(':memory:')
}
