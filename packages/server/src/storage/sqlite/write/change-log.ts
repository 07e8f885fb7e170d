/**
 * The change log in the SQLite file. There is one writer at a time, so sequences follow the order
 * of commits without gaps. A reader at 7 that finds 9 knows that it missed 8.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import {
  type Author,
  type Change,
  type ChangeFeed,
  type Changes,
  serviceAuthor,
  storedCredential,
  type WrittenRecord,
} from '../../changes.ts'
import { changeColumns, changesTable, isCut, readChange } from '../../sql/change-rows.ts'
import { detailText } from '../../sql/logged-values.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { type LoggedWrite, seenBy } from '../../sql/transaction.ts'
import type { SqliteConnection } from '../connection.ts'
import { boundLimit } from '../dialect.ts'
import type { Snapshot } from '../read/snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

/**
 * No number is used twice. A sweep keeps the newest row; where another program deletes that, the
 * trigger adds one with the next number. AUTOINCREMENT would cost one more page per write.
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
/** Without RETURNING, which makes SQLite write the pending full-text index before the commit. */
const insertSql = `INSERT INTO ${changesTable} (${changeColumns.join()}) VALUES (${changeColumns.map(() => '?').join()})`
const selectSql = `SELECT sequence, ${changeColumns.join()} FROM ${changesTable} WHERE sequence > ? ORDER BY sequence ${boundLimit}`
const lastSql = `SELECT coalesce(max(sequence), 0) FROM ${changesTable}`
/**
 * Rows before an old one are old too, even if the clock was set back between them: so a sweep
 * leaves no gaps.
 */
const sweepSql = `DELETE FROM ${changesTable} WHERE sequence < (${lastSql}) AND sequence <= (SELECT max(sequence) FROM ${changesTable}
  WHERE at_ms < ?1 AND sequence <= (SELECT min(sequence) + ?2 FROM ${changesTable}))`

/** The service's own notes, as a resource without a declaration. */
const notesName = 'bindery_meta'

/**
 * Adds a row to the open transaction that says: no record was written. Without a row, other
 * processes take the commit for one of another program, and drop all cached records. Counting a
 * million records again takes most of a second.
 */
export function logNote(writer: SqliteConnection): void {
  const hasLog = { sql: `SELECT 1 FROM sqlite_schema WHERE name = '${changesTable}'`, parameters: [] }
  if (!writer.first(hasLog)) return // a file of a version without the log
  const { userId, credential } = serviceAuthor
  const said = { resource: notesName, kind: 'update', records: [], userId, credential, atMs: Date.now() } as const
  writer.run({ sql: insertSql, parameters: cellsOf(said) })
}

const totalChanges: Statement = { sql: 'SELECT total_changes()', parameters: [] }

/** Called before a commit: adds that row if the transaction wrote something, but no record. */
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
  /** The last change that the current snapshot includes. */
  lastSeen(): number
  /** Logs writes of the open transaction, also for `committed`. */
  note(author: Author, about: LoggedWrite, records: readonly WrittenRecord[]): void
  /** How many changes the open transaction has made so far. */
  place(): number
  /**
   * Call it before a commit, where other processes serve the file: counters and sweeps get a row as
   * notes do.
   */
  ending(): void
  /**
   * Call it when the open transaction has committed. Returns a function that informs the readers:
   * call that before any response, and before the next commit.
   */
  committed(): () => void
  /** Call it after a rollback to that place. */
  undone(place: number): void
}

type ChangeLogDeps = {
  readonly writer: SqliteConnection
  /** Reads in the current snapshot. */
  readonly reads: Executor
  readonly snapshot: Snapshot
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  /** For writes outside of transactions. */
  readonly queue: WriteQueue
}

type LogRow = Omit<Change, 'sequence' | 'detail' | 'values'> & { readonly told?: string | null }

/** The values of a new row, in the order of the columns. */
function cellsOf({ resource, kind, records, atMs, userId, credential, told = null }: LogRow): unknown[] {
  const only = records.length === 1 ? records[0] : undefined
  const one = only ? [String(only.id), only.version] : [null, null]
  const many = only ? null : JSON.stringify(records.map(({ id, version }) => [id, version]))
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
   * were missed. `own`: changes with more details than their rows have.
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
   * A new data version of the file means a commit of another process. Without a row in the log,
   * another program wrote it.
   */
  function look(): void {
    const version = snapshot.dataVersion()
    if (version === seenVersion) return
    seenVersion = version
    const before = position
    advance(reader.all(rowsAfter(position, readMax)), () => lastOf(reader))
    if (position === before) feed.reset()
  }

  /** Delivers the changes of this process. */
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
    const { resource, kind } = about
    const { userId } = author
    const credential = storedCredential(author)
    const atMs = Date.now()
    const said = { resource: resource.name, kind, records, userId, credential, atMs }
    const sequence = writer.insert({ sql: insertSql, parameters: cellsOf({ ...said, told: detailText(about) }) })
    pending.push({ sequence, ...said, ...seenBy(about, records) })
  }

  return {
    lastSeen: snapshot.once(() => lastOf(reader)),
    follow: feed.follow,
    watch: feed.watch,
    trustedMs: 0,
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
