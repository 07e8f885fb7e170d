/**
 * Whether the write-ahead log beside a file is another database's: somebody put a file in place and left the log of the one before. SQLite
 * replays whatever log it finds, so a server that opened both would lose what is in the file.
 */
import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../errors.ts'
import { DatabaseSync } from './library.ts'

type Opened = InstanceType<typeof DatabaseSync>

/** A server that has the database open has a log, and so has one that was killed. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0 || existsSync(`${path}-shm`)
}

/** Somebody deleted it: SQLite itself removes the log and its index together. */
export function isLogGone(path: string): boolean {
  return !existsSync(`${path}-wal`) && existsSync(`${path}-shm`)
}

/** `alone`: without the log, and without making one, which would belong to whoever runs this. */
export function openReadOnly(path: string, alone: boolean): Opened {
  const address = alone ? new URL(`${pathToFileURL(path).href}?immutable=1`) : path
  return new DatabaseSync(address, { readOnly: true, timeout: 2_000 })
}

export function saysWhatItHolds(database: Opened): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'bindery_meta'").get() !== undefined
}

function isOurs(path: string, alone: boolean): boolean {
  try {
    const database = openReadOnly(path, alone)
    try {
      return saysWhatItHolds(database)
    } finally {
      database.close()
    }
  } catch {
    return false // opening it says why
  }
}

/** Throws `StartError`. Call it before anything opens the file. */
export function refuseForeignLog(path: string): void {
  if (!existsSync(path) || !hasLog(path) || !isOurs(path, true) || isOurs(path, false)) return
  throw new StartError(
    `Cannot open the database ${path}: the log beside it, ${path}-wal, is another database's, and would replace what is in it. Move it and ${path}-shm aside, then start`,
  )
}
