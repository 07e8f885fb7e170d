/**
 * Notes about backups, stored in the database that they are of: when the last good one was taken,
 * and whether one failed since.
 */
import type { ConfiguredDatabase } from '../storage/database-kind.ts'

export type GoodBackup = {
  /** The backup has all writes acknowledged before this time (RFC 3339). */
  readonly at: string
  /** The folder, or `s3://bucket/prefix`. */
  readonly place: string
  readonly name: string
  readonly bytes: number
}
/** The database was restored from a backup, or from copies of a log. */
export type RestoreNote = {
  /** When it was restored. */
  readonly when: string
  /** The restored data has all writes acknowledged before this time. */
  readonly at: string
  /** `/backups/bindery-….tar.zst` */
  readonly from: string
}
export type FailedBackup = { readonly at: string; readonly why: string }

const goodNote = 'last backup'
const failedNote = 'last failed backup'
const restoredNote = 'restored'

/** Stores a note. A backup does not fail when its note cannot be stored. */
async function keep({ kind, setup }: ConfiguredDatabase, name: string, value: unknown): Promise<void> {
  try {
    await kind.keepNote(setup, name, JSON.stringify(value))
  } catch {
    // The database may be read-only or full; the backup exists all the same
  }
}

export function noteGoodBackup(database: ConfiguredDatabase, backup: GoodBackup): Promise<void> {
  return keep(database, goodNote, backup)
}

export function noteFailedBackup(database: ConfiguredDatabase, failure: FailedBackup): Promise<void> {
  return keep(database, failedNote, failure)
}

export function noteRestored(database: ConfiguredDatabase, restored: RestoreNote): Promise<void> {
  return keep(database, restoredNote, restored)
}

/** The names of the notes, for readers of raw notes. */
export const backupNotes: readonly string[] = [goodNote, failedNote, restoredNote]

/**
 * The last good backup of this database, by any process, and the last that failed, if no good one
 * followed.
 */
export function lastBackups(notes: ReadonlyMap<string, string | undefined>) {
  const [good, failed] = [parse<GoodBackup>(notes.get(goodNote)), parse<FailedBackup>(notes.get(failedNote))]
  return { good, failed: failed && (!good || good.at < failed.at) ? failed : undefined }
}

/** Undefined for a database that was not restored. */
export function restoredFrom(notes: ReadonlyMap<string, string | undefined>): RestoreNote | undefined {
  return parse<RestoreNote>(notes.get(restoredNote))
}

export type LastBackups = ReturnType<typeof lastBackups>

function parse<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

/** The same, read from the database; each note opens a connection of its own. */
export async function findBackups({ kind, setup }: ConfiguredDatabase): Promise<LastBackups> {
  const notes = new Map<string, string | undefined>()
  for (const name of [goodNote, failedNote]) notes.set(name, await kind.findNote(setup, name))
  return lastBackups(notes)
}
