/** Opens the two connections of a store: one writes, and migrates first; the other one reads. */
import type { DatabaseSync } from 'node:sqlite'
import type { Catalog } from '../../resource/catalog.ts'
import type { OpenOptions } from '../database-kind.ts'
import { keptResources } from '../sql/kept-changes.ts'
import { openConnection, type SqliteConnection, startErrorOf } from './connection.ts'
import { writeStamp } from './file/log-stamp.ts'
import { takeOpenLock } from './file/open-lock.ts'
import { identityOf } from './file/served-file.ts'
import type { NoteCorruption } from './inspect/corruption.ts'
import { sqliteFigures } from './inspect/figures.ts'
import { migrate } from './migrate/apply-migration.ts'
import { planBy } from './read/explained.ts'
import { watchedConnection } from './watched-connection.ts'
import { beginKeeping, drawMark } from './write/kept-rows.ts'

export type SqliteOptions = Omit<OpenOptions, 'making' | 'traces' | 'losses'> & {
  /** False where a log follower makes the checkpoints. */
  readonly checkpoints?: boolean
  /** Whether a missing file is created; true by default. */
  readonly make?: boolean
}

export type StoreOpening = Pick<SqliteOptions, 'watch' | 'checkpoints' | 'make' | 'checks'> & {
  readonly note: NoteCorruption
  readonly report: (message: string) => void
}

/**
 * The connection that writes, which migrates first, and the one that reads. Throws `StartError`.
 */
export async function openBoth(
  path: string,
  catalog: Catalog,
  { note, report, watch, make = true, checks, ...options }: StoreOpening,
) {
  const { checkpoints = true } = options
  const writer = openConnection(path, { readOnly: false, note, report, checkpoints, make, stamps: true })
  const joined = identityOf(path)
  let openLock: DatabaseSync | undefined
  try {
    await migrate(writer, catalog, { report, checks })
    beginKeeping(writer, catalog)
    if (keptResources(catalog).length > 0) openLock = takeOpenLock(path, () => drawMark(writer))
  } catch (error) {
    writer.database.close()
    throw startErrorOf(path, error)
  }
  const file = { path, joined }
  const reader = openConnection(path, { readOnly: true, note, joined })
  function close(): void {
    reader.database.close()
    writeStamp(writer.database)
    writer.database.close()
    openLock?.close()
  }
  if (!watch) return { file, writer, reader, close }
  watch.add(() => sqliteFigures(path))
  watch.planBy(planBy(reader))
  const [watchedWriter, watchedReader] = [writer, reader].map((one) => watchedConnection(one, watch.statements))
  return { file, writer: watchedWriter as SqliteConnection, reader: watchedReader as SqliteConnection, close }
}
