/**
 * Opens every database file, for each command and thread. It creates no file unless the caller says
 * so, and opens no file beside a log of another one.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../../../errors.ts'
import { isDatabaseThere } from './database-head.ts'
import { hasLog, isLogGone, logMatchOf } from './log-match.ts'
import { findMismatch } from './page-check.ts'
import { addressOf } from './read-only.ts'
import { logWithoutFile, takeEither } from './refusals.ts'
import { awayError, identityOf, isOpenHere } from './served-file.ts'

export type OpenFileOptions = {
  /** Milliseconds that connections wait for each other. */
  readonly timeout: number
  /** Creates the file if it is missing. */
  readonly make?: boolean
  /**
   * The identity of the file that this process has open (`identityOf`): no other file is opened in
   * its place.
   */
  readonly joined?: string | undefined
  /** Receives faults that do not prevent the opening. */
  readonly report?: ((message: string) => void) | undefined
}

/** Throws `StartError` before anything opens, where the file and its log do not belong together. */
export function refuseMismatch(path: string, report: (message: string) => void = () => undefined): void {
  if (isOpenHere(path)) return // it was checked then
  const found = logMatchOf(path)
  if (typeof found === 'object')
    throw new StartError(`Cannot open the database ${path}: ${takeEither(path, found.why)}`)
  if (found === 'together') return
  const misfit = findMismatch(path)
  if (misfit !== undefined) throw new StartError(`Cannot open the database ${path}: ${takeEither(path, misfit)}`)
  if (isLogGone(path))
    report(
      `The log of ${path} is gone, and with it what was written since the last checkpoint: its index ${path}-shm is there. Every page of the file was read and is whole; put the log back before anything is written, if you have it`,
    )
}

/** Throws `StartError` for a missing file, or one that must not be opened. */
function prepare(path: string, { make = false, joined, report }: OpenFileOptions): void {
  if (joined !== undefined) {
    const found = identityOf(path)
    if (found !== joined) throw awayError(path, found)
    return
  }
  if (isDatabaseThere(path)) {
    refuseMismatch(path, report)
    return
  }
  // SQLite deletes a log beside an empty file
  if (hasLog(path)) throw new StartError(logWithoutFile(path))
  if (!make) throw new StartError(`There is no database ${path}`)
  // The file holds everything, so only its owner may read it. SQLite gives its companion files the
  // same mode.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

/** Opens a connection that may write. Throws `StartError`, and SQLite's errors. */
export function openFile(path: string, opening: OpenFileOptions): DatabaseSync {
  prepare(path, opening)
  const database = new DatabaseSync(addressOf(path, 'mode=rw'), { timeout: opening.timeout })
  const found = identityOf(path)
  if (opening.joined === undefined || found === opening.joined) return database
  database.close()
  throw awayError(path, found)
}
