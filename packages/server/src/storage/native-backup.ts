/**
 * How a database is backed up and restored in its own file format. The arguments are plain data, so
 * that a thread can do the work.
 */

import type { KeptFile } from './copy/kept-files.ts'

/** A captured copy: the database as it was at one moment. */
export type CapturedBackup = {
  /** The copy's file in the given folder. */
  readonly file: string
  /** Every write that was acknowledged before this time is in it (RFC 3339). */
  readonly at: string
  /** SHA-256 of the schema: the same for the same tables and columns. */
  readonly schema: string
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>
}

export type CaptureOptions = {
  /** An empty folder of the caller's own, on a disk with room for the whole database. */
  readonly folder: string
  /** How much of the time the copy leaves to others: 0 hurries, 0.5 pauses half of it. */
  readonly idleShare: number
  readonly stop?: AbortSignal | undefined
}

/**
 * Backup and restore in the database's own format. For a kind without one, the backup writes the
 * rows as `export --all` does.
 */
export type NativeBackup<Setup> = {
  /** The name of its file in a backup. */
  readonly content: string
  /** The reason why this format cannot be used here, or undefined. */
  obstacle?(setup: Setup): Promise<string | undefined>
  /**
   * Copies the database while writes go on, and checks the copy: throws `StartError` unless it is
   * complete.
   */
  capture(setup: Setup, capturing: CaptureOptions): Promise<CapturedBackup>
  /** Throws `StartError` unless the file is complete and has these rows. */
  check(file: string, tables: CapturedBackup['tables']): Promise<void>
  /** Throws `StartError` unless the file is complete; returns its rows by table. */
  count(file: string): Promise<CapturedBackup['tables']>
  /** The files whose bytes belong to the database, by id. */
  keptFiles(file: string): AsyncIterable<KeptFile>
  /**
   * A folder on the disk of the database, which exists afterwards: a restore writes its file there.
   * Throws `StartError`.
   */
  workFolder(setup: Setup): string
  /** Moves the checked file to the place of a database that does not exist. */
  putBack(setup: Setup, file: string): Promise<void>
  /** The file as a database to copy from, for a target of another kind. */
  opened?(file: string): Setup
}
