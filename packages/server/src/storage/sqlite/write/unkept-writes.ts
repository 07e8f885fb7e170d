/**
 * Writes whose values the kept log lacks: of another program, or of a process whose declarations do
 * not keep them yet. Its readers must learn of them, so this process adds a row in their place.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import type { Change } from '../../changes.ts'
import { keptResources, unkeptResources } from '../../sql/kept-changes.ts'
import type { SqliteConnection } from '../connection.ts'
import { logUnknown } from './change-table.ts'

export type UnkeptWrites = {
  /** Changes of other processes. */
  seen(changes: readonly Change[]): void
  /** Another connection has committed without a row in the log. */
  past(): void
  /** This process has committed. */
  committed(): void
}

/** Runs work in a transaction of its own. */
type RunAlone = (work: () => Promise<void>) => Promise<unknown>

const nothing: UnkeptWrites = { seen: () => undefined, past: () => undefined, committed: () => undefined }

export function makeUnkeptWrites(writer: SqliteConnection, runAlone: RunAlone, catalog: Catalog): UnkeptWrites {
  const kept = keptResources(catalog).map(({ name }) => name)
  if (kept.length === 0) return nothing
  /** The stamp of the file: another process that begins a log changes it, and writes no record. */
  const readStamp = () => writer.first({ sql: 'PRAGMA user_version', parameters: [] })?.[0]
  let stamp = readStamp()

  function add(names: readonly string[]): void {
    if (names.length === 0) return
    // the next write tells of a database that is away
    runAlone(async () => logUnknown(writer, names)).catch(() => undefined)
  }
  return {
    seen(changes) {
      stamp = readStamp()
      add(unkeptResources(catalog, changes))
    },
    past() {
      const before = stamp
      stamp = readStamp()
      if (stamp === before) add(kept)
    },
    committed() {
      stamp = readStamp()
    },
  }
}
