/**
 * The change log in the SQLite file. There is one writer at a time, so sequences follow the order
 * of commits and have no gaps: a reader at 7 that finds 9 knows that it missed 8.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import {
  type Author,
  type Change,
  type ChangeFeed,
  type Changes,
  serviceAuthor,
  type WrittenRecord,
} from '../../changes.ts'
import { changeColumns, changesTable, isCut, readChange } from '../../sql/change-rows.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { type LoggedWrite, seenOnly } from '../../sql/transaction.ts'
import type { SqliteConnection } from '../connection.ts'
import { boundLimit } from '../dialect.ts'
import type { Snapshot } from '../read/snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

/**
 * No number is used twice. Sweeping keeps the newest row; where something else deletes that, the
 * trigger adds one with the number behind it. AUTOINCREMENT would cost one more page per write.
 */
export const changesTableSql = `
  CREATE TABLE IF NOT EXISTS ${changesTable} (sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, resource TEXT NOT NULL, kind TEXT NOT NULL,
    id TEXT, version INTEGER, records TEXT, user_id TEXT, credential TEXT NOT NULL, detail TEXT) STRICT;
  CREATE TRIGGER IF NOT EXISTS bindery_log_cut AFTER DELETE ON ${changesTable}
    WHEN OLD.sequence > (SELECT coalesce(max(sequence), 0) FROM ${changesTable})
  BEGIN
    INSERT INTO ${changesTable} (sequence, at_ms, resource, kind, records, credential)
    VALUES (OLD.sequence + 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), '${changesTable}', 'unknown', '[]', 'unknown');
  END;
`
/**
 * Without RETURNING, which makes SQLite write out what full-text search holds back until the
 * commit.
 */
const insertSql = `INSERT INTO ${changesTable} (${changeColumns.join()}) VALUES (${changeColumns.map(() => '?').join()})`
const selectSql = `SELECT sequence, ${changeColumns.join()} FROM ${changesTable} WHERE sequence > ? ORDER BY sequence ${boundLimit}`
const lastSql = `SELECT coalesce(max(sequence), 0) FROM ${changesTable}`
/**
 * Rows before an old one are old too, even if the clock was set back between them: no
 * numbers in the middle are ever missing.
 */
const sweepSql = `DELETE FROM ${changesTable} WHERE sequence < (${lastSql}) AND sequence <= (SELECT max(sequence) FROM ${changesTable}
  WHERE at_ms < ?1 AND sequence <= (SELECT min(sequence) + ?2 FROM ${changesTable}))`

/** What the service writes down about itself, as a resource that nobody declares. */
const notesName = 'bindery_meta'

/**
 * Says in the open transaction that what it writes is no record: whoever finds a commit of another
 * process without a row takes it for one of somebody who wrote past Bindery, and forgets all that
 * he knows of records. Counting a million of them anew takes most of a second.
 */
export function logNote(writer: SqliteConnection): void {
  const hasLog = { sql: `SELECT 1 FROM sqlite_schema WHERE name = '${changesTable}'`, parameters: [] }
  if (!writer.first(hasLog)) return // a file of a version that had none
  const { userId, credential } = serviceAuthor
  const said = { resource: notesName, kind: 'update', records: [], userId, credential, atMs: Date.now() } as const
  writer.run({ sql: insertSql, parameters: cellsOf(said) })
}

const totalChanges: Statement = { sql: 'SELECT total_changes()', parameters: [] }

/** Called before a commit: where something was written and no record, says so. */
function tellOthers(writer: SqliteConnection, hasRecords: () => boolean): () => void {
  const now = () => writer.first(totalChanges)?.[0] as number
  let before = now()
  return () => {
    if (now() !== before && !hasRecords()) logNote(writer)
    before = now()
  }
}

/** The most rows that one look reads; when there are more, readers start over. */
const readMax = 10_000
const sweptMax = 2_000

export type SqliteChangeLog = Changes & {
  /** The last change that the current snapshot has seen. */
  lastSeen(): number
  /** Logs what was written in the open transaction, also for `committed`. */
  note(author: Author, about: LoggedWrite, records: readonly WrittenRecord[]): void
  /** How many changes the open transaction has made so far. */
  place(): number
  /**
   * Call it before a commit, where other processes serve the file: counters and sweeps are told as
   * notes are.
   */
  ending(): void
  /**
   * Call it when the open transaction has committed. Returns what tells readers of it: call that
   * before anybody is answered, and before the next commit.
   */
  committed(): () => void
  /** Call it when everything after that place was rolled back. */
  undone(place: number): void
}

type ChangeLogDeps = {
  readonly writer: SqliteConnection
  /** Reads in the current snapshot. */
  readonly reads: Executor
  readonly snapshot: Snapshot
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  /** For what is written outside of transactions. */
  readonly queue: WriteQueue
}

/** The values of a new row, in the order of the columns. */
function cellsOf({ resource, kind, records, atMs, userId, credential, detail }: Omit<Change, 'sequence'>): unknown[] {
  const only = records.length === 1 ? records[0] : undefined
  const one = only ? [String(only.id), only.version] : [null, null]
  const many = only ? null : JSON.stringify(records.map(({ id, version }) => [id, version]))
  const told = detail === undefined ? null : JSON.stringify(detail)
  return [atMs, resource, kind, ...one, many, userId, credential, told]
}

const lastOf = (connection: Pick<SqliteConnection, 'first'>) =>
  connection.first({ sql: lastSql, parameters: [] })?.[0] as number
const rowsAfter = (sequence: number, limit: number): Statement => ({ sql: selectSql, parameters: [sequence, limit] })

export function makeChangeLog({ writer, reads, snapshot, catalog, feed, queue }: ChangeLogDeps): SqliteChangeLog {
  const reader = reads as Pick<SqliteConnection, 'all' | 'first'>
  let seenVersion = snapshot.dataVersion()
  let position = lastOf(writer)
  let pending: Change[] = []
  /**
   * Delivers the rows behind the position, in order; a gap, a cut or too many rows mean that some
   * were missed. `own`: changes that are known better than their rows say.
   */
  function advance(rows: readonly (readonly unknown[])[], last: () => number, own: readonly Change[] = []): void {
    const known = new Map(own.map((change) => [change.sequence, change]))
    const changes = rows.map((cells) => known.get(cells[0] as number) ?? readChange(catalog, cells))
    const isGap = changes[0] !== undefined && changes[0].sequence !== position + 1
    const isMissed = isGap || changes.length === readMax || changes.some(isCut)
    position = isMissed ? last() : (changes.at(-1)?.sequence ?? position)
    if (isMissed) feed.reset()
    else feed.deliver(changes)
  }

  /**
   * When the file's data version has changed, another process has committed. If it left no row, it
   * wrote past Bindery.
   */
  function look(): void {
    const version = snapshot.dataVersion()
    if (version === seenVersion) return
    seenVersion = version
    const before = position
    advance(reader.all(rowsAfter(position, readMax)), () => lastOf(reader))
    if (position === before) feed.reset()
  }

  /** Delivers what this process has written. */
  function tell(own: readonly Change[]): void {
    const first = own[0]?.sequence
    if (first === undefined) return
    if (first === position + 1) {
      position = own.at(-1)?.sequence as number
      feed.deliver(own)
    } else
      snapshot.within(() => {
        seenVersion = snapshot.dataVersion() // other processes committed in between
        advance(reader.all(rowsAfter(position, readMax)), () => lastOf(reader), own)
      })
  }

  function note(author: Author, about: LoggedWrite, records: readonly WrittenRecord[]): void {
    if (records.length === 0) return
    const { resource, kind, detail } = about
    const { userId, credential } = author
    const atMs = Date.now()
    const said = { resource: resource.name, kind, records, userId, credential, atMs, ...(detail && { detail }) }
    const sequence = writer.insert({ sql: insertSql, parameters: cellsOf(said) })
    pending.push({ sequence, ...said, ...seenOnly(about, records) })
  }

  return {
    lastSeen: snapshot.once(() => lastOf(reader)),
    follow: feed.follow,
    watch: feed.watch,
    isCurrent() {
      look()
      return true
    },
    catchUp: look,
    async read(place, limit) {
      const changes = (await reads.all(rowsAfter(Number(place ?? 0), limit))).map((cells) => readChange(catalog, cells))
      return { changes, place: changes.length === 0 ? place : String(changes.at(-1)?.sequence) }
    },
    note,
    ending: tellOthers(writer, () => pending.length > 0),
    committed() {
      const own = pending
      pending = []
      return () => tell(own)
    },
    place: () => pending.length,
    undone(place) {
      pending.length = place
    },
    sweep: (beforeMs) =>
      queue.write(async () => writer.run({ sql: sweepSql, parameters: [beforeMs, sweptMax] }) >= sweptMax),
  }
}
