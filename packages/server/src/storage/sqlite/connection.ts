/**
 * One connection to the SQLite file: how it opens, its prepared statements, and the translation of
 * its errors.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { boundedCache } from '../../base/bounded-cache.ts'
import { ApiError, StartError } from '../../errors.ts'
import type { Statement } from '../sql/statements.ts'
import { isAtLeast } from './file/library.ts'
import { writeStamp } from './file/log-stamp.ts'
import { type OpenFileOptions, openFile } from './file/open-file.ts'
import { isAway } from './file/served-file.ts'
import type { NoteCorruption } from './inspect/corruption.ts'
import { addTextEditing } from './migrate/table-text.ts'

/** Earlier versions can corrupt a WAL that is reset while another connection reads. */
const libraryVersionMin = [3, 51, 3] as const
const preparedMax = 500
/** How long connections wait for each other. */
export const busyMsMax = 5000
/**
 * No memory-mapped pages: they count as memory of the process, and make no list faster. A larger
 * page cache saves a few file reads for a list, and loses as much time. Figures:
 * docs/decisions/0105.
 */
const readerMemory = 'PRAGMA cache_size = -8192; PRAGMA mmap_size = 0'
/**
 * Pages of 4 kB: a log of 16 MB. A checkpoint copies a page once, even if many commits wrote it.
 */
export const pagesOfLog = 4_000
const writerMemory = `PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = ${pagesOfLog}`

/** Its methods throw errors as `translateError` translates them. */
export type SqliteConnection = {
  readonly database: DatabaseSync
  /** A cached statement that returns rows as arrays. */
  prepare(sql: string): StatementSync
  /** Rows as arrays, in the order of the selected columns. */
  all(statement: Statement): unknown[][]
  first(statement: Statement): unknown[] | undefined
  /** The number of changed rows. */
  run(statement: Statement): number
  /** Returns the row number of the new row. */
  insert(statement: Statement): number
  /**
   * Runs work that is not one statement of this connection, such as a commit, and notes its errors
   * like those of statements. `statement`: repeats the read, to test whether the file can be read
   * again.
   */
  guard<T>(work: () => T, statement?: Statement): T
}

function checkLibrary(database: DatabaseSync): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  if (!isAtLeast(version, libraryVersionMin))
    throw new StartError(
      `SQLite ${version} of Node ${process.versions.node} is too old: it may damage a database that is read while it is written. ${libraryVersionMin.join('.')} or later is needed, which Node 24.15 and 26 have`,
    )
}

/**
 * Two processes may create one file at once. While it switches to WAL, SQLite does not wait for the
 * lock, because both would wait for each other. This wait blocks the thread, but only while
 * opening.
 */
function switchToWriteAheadLog(database: DatabaseSync): void {
  const until = Date.now() + busyMsMax
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 + Math.random() * 20)
    }
  }
}

/** `note` receives every error of a connection that serves. */
type ConnectionOptions = {
  readonly readOnly: boolean
  readonly note?: NoteCorruption
  /** False where a log follower makes the checkpoints (`wal-follower.ts`). */
  readonly checkpoints?: boolean
  /** Whether this is the first writing connection: it stamps the file (`log-stamp.ts`). */
  readonly stamps?: boolean
} & Omit<OpenFileOptions, 'timeout'>

/**
 * Opens the file, or creates it if the caller allows that. WAL, and every commit is on disk before
 * its response. Throws `StartError`.
 */
export function openConnection(path: string, options: ConnectionOptions): SqliteConnection {
  let database: DatabaseSync
  try {
    const { make, joined, report } = options
    // The timeout is set before the first statement: another process may be creating the file
    database = openFile(path, { timeout: busyMsMax, ...(make && { make }), joined, report })
    checkLibrary(database)
    switchToWriteAheadLog(database)
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    database.exec(`PRAGMA temp_store = MEMORY; ${options.readOnly ? readerMemory : writerMemory}`)
    if (options.readOnly) database.exec('PRAGMA query_only = ON')
    else addTextEditing(database)
    if (options.checkpoints === false) database.exec('PRAGMA wal_autocheckpoint = 0')
    if (options.stamps) writeStamp(database)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw startErrorOf(path, error)
  }
  const { note = (error) => error } = options
  const prepared = boundedCache<string, StatementSync>({ entriesMax: preparedMax })

  function prepare(text: string): StatementSync {
    let statement = prepared.get(text)
    if (!statement) {
      statement = database.prepare(text)
      statement.setReturnArrays(true)
      prepared.set(text, statement)
    }
    return statement
  }

  /** Runs the statement again, reading pages from the file instead of memory, and rolls it back. */
  function rehearse({ sql, parameters }: Statement): void {
    const isOwn = !database.isTransaction
    database.exec('PRAGMA shrink_memory')
    if (isOwn) database.exec('BEGIN')
    try {
      prepare(sql).all(...(parameters as SQLInputValue[]))
    } finally {
      if (isOwn && database.isTransaction) database.exec('ROLLBACK')
    }
  }
  function guard<T>(work: () => T, statement: Statement = anyRead): T {
    try {
      return work()
    } catch (error) {
      throw translateError(note(error, () => rehearse(statement)))
    }
  }

  return {
    database,
    prepare,
    all(statement) {
      const { sql, parameters } = statement
      return guard(() => prepare(sql).all(...(parameters as SQLInputValue[])), statement) as unknown as unknown[][]
    },
    first(statement) {
      const { sql, parameters } = statement
      const row = guard(() => prepare(sql).get(...(parameters as SQLInputValue[])), statement)
      return row as unknown as unknown[] | undefined
    },
    run(statement) {
      const { sql, parameters } = statement
      return Number(guard(() => prepare(sql).run(...(parameters as SQLInputValue[])), statement).changes)
    },
    insert(statement) {
      const { sql, parameters } = statement
      return Number(guard(() => prepare(sql).run(...(parameters as SQLInputValue[])), statement).lastInsertRowid)
    },
    guard,
  }
}

/** Throws an error from elsewhere, as work for `guard`. */
export function rethrow(error: unknown): never {
  throw error
}

/** Tests whether the file can be read, where there is no statement to try again. */
const anyRead: Statement = { sql: 'SELECT count(*) FROM sqlite_schema', parameters: [] }

type SqliteError = Error & { readonly errcode?: number }
const busy = 5
const locked = 6
const readOnlyFile = 8
const inputOutput = 10
const corrupt = 11
const cannotOpen = 14
const notADatabase = 26
const full = 13
const constraint = 19

/**
 * Turns an error of SQLite or the system at start into one line with the file; any other error
 * stays as it is.
 */
export function startErrorOf(path: string, error: unknown): unknown {
  const { errcode, code, message } = error as SqliteError & { readonly code?: string }
  if (typeof errcode !== 'number' && typeof code !== 'string') return error
  const hint = primaryCode(error) === inputOutput ? '; is the disk full?' : ''
  const why = isFull(error) || code === 'ENOSPC' ? 'the disk is full' : message + hint
  const known = [readOnlyFile, corrupt, cannotOpen, notADatabase]
  const advice = known.includes(primaryCode(error) ?? 0) ? '; bindery doctor --deep says what to do' : ''
  return new StartError(`Cannot open the database ${path}: ${why}${advice}`)
}

function primaryCode(error: unknown): number | undefined {
  const code = (error as SqliteError).errcode
  return code === undefined ? undefined : code & 0xff
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === busy || code === locked
}

export const isConstraint = (error: unknown): boolean => primaryCode(error) === constraint

export const isFull = (error: unknown): boolean => primaryCode(error) === full
/** A full disk may also fail as input and output. */
export const mayBeFull = (error: unknown): boolean => isFull(error) || primaryCode(error) === inputOutput

/** The columns of the violated unique key. Undefined for any other error. */
export function uniqueColumnsOf(error: unknown): string[] | undefined {
  const match = /^UNIQUE constraint failed: (.+)$/.exec((error as Error).message)
  return match?.[1]?.split(', ').map((column) => column.split('.')[1] as string)
}

const awayRetrySeconds = 30

/**
 * Translates a driver error for callers. Busy, full and missing become `unavailable`; any other
 * error stays as it is.
 */
export function translateError(error: unknown): unknown {
  if (isAway(error))
    return new ApiError('unavailable', 'The database is not in its place', { retryAfterSeconds: awayRetrySeconds })
  if (isBusy(error))
    return new ApiError('unavailable', 'The database is busy, try again', { cause: error, retryAfterSeconds: 1 })
  if (isFull(error))
    return new ApiError('unavailable', 'The disk is full, nothing was written', { cause: error, retryAfterSeconds: 60 })
  return error
}
