/**
 * What a backup takes out of a database and puts back: plain data, so that a thread can do the
 * work.
 */

/** What was taken, as it was at one moment. */
export type CapturedBackup = {
  /** The file in the folder that was given. */
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
 * How a kind of database is saved in a form of its own. Without one, the rows are written as
 * `export --all` writes them.
 */
export type NativeBackup<Setup> = {
  /** The name of its file in a backup. */
  readonly content: string
  /** Says why this form cannot be had here, or undefined. */
  obstacle?(setup: Setup): Promise<string | undefined>
  /** Takes a copy while others write, and looks at it: throws `StartError` unless it is whole. */
  capture(setup: Setup, capturing: CaptureOptions): Promise<CapturedBackup>
  /** Throws `StartError` unless the file is whole and has these rows. */
  check(file: string, tables: CapturedBackup['tables']): Promise<void>
  /** Throws `StartError` unless the file is whole; returns its rows by table. */
  count(file: string): Promise<CapturedBackup['tables']>
  /**
   * A folder on the disk of the database, which exists afterwards: what is put back is made there.
   * Throws `StartError`.
   */
  workFolder(setup: Setup): string
  /**
   * Puts the file in place of a database that does not exist; it has been checked. The file is used
   * up.
   */
  putBack(setup: Setup, file: string): Promise<void>
  /** The file as a database to copy from, where another kind takes it. */
  opened?(file: string): Setup
}
