/**
 * The one door to a database file: everything that SQLite opens is opened here, by every command
 * and every thread. Nothing is made unless the caller says so, and no file is opened with a log
 * that does not belong to it.
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
  /** Makes the file where there is none. */
  readonly make?: boolean
  /** The file that this process has open (`identityOf`): no other one is opened in its place. */
  readonly joined?: string | undefined
  /** Told of what was amiss and goes on all the same. */
  readonly report?: ((message: string) => void) | undefined
}

/**
 * Throws `StartError` where the file and its log do not belong together. Nothing has been opened
 * then.
 */
export function refuseMismatch(path: string, report: (message: string) => void = () => undefined): void {
  if (isOpenHere(path)) return // it was looked at then
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

/** Throws `StartError` where there is nothing to open, or what is there must not be. */
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
  // SQLite deletes a log beside a file that is empty
  if (hasLog(path)) throw new StartError(logWithoutFile(path))
  if (!make) throw new StartError(`There is no database ${path}`)
  // Everything is in this file, so only its owner may read it. SQLite gives its companion files the
  // same mode.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

/** A connection that may write. Throws `StartError`, and what SQLite throws. */
export function openFile(path: string, opening: OpenFileOptions): DatabaseSync {
  prepare(path, opening)
  const database = new DatabaseSync(addressOf(path, 'mode=rw'), { timeout: opening.timeout })
  const found = identityOf(path)
  if (opening.joined === undefined || found === opening.joined) return database
  database.close()
  throw awayError(path, found)
}
