/**
 * The change log in the SQLite file. There is one writer at a time, so sequences follow the order
 * of commits without gaps. A reader at 7 that finds 9 knows that it missed 8. Among old rows that
 * are kept, sweeps leave gaps.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import {
  type Author,
  type Change,
  type ChangeFeed,
  type Changes,
  changesTable,
  type WrittenRecord,
} from '../../changes.ts'
import { changeColumns, isCut, readChange } from '../../sql/change-rows.ts'
import { changesKeptDefault, type KeptBounds } from '../../sql/kept-bounds.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import type { LoggedWrite } from '../../sql/transaction.ts'
import type { SqliteConnection } from '../connection.ts'
import { boundLimit } from '../dialect.ts'
import type { LogSalts } from '../file/log-stamp.ts'
import type { Snapshot } from '../read/snapshot.ts'
import { lastSequence, logNote, makeOwnChanges } from './change-table.ts'
import { keptLogOf, makeUnkeptWrites } from './kept-rows.ts'
import { sweepKept, sweepUnkept } from './sweep-changes.ts'
import type { WriteQueue } from './write-queue.ts'

const selectSql = `SELECT sequence, ${changeColumns.join()} FROM ${changesTable} WHERE sequence > ? ORDER BY sequence ${boundLimit}`
const totalChanges: Statement = { sql: 'SELECT total_changes()', parameters: [] }

/**
 * Called before a commit: adds that row if the transaction wrote something, but no record. Returns
 * its sequence.
 */
function tellOthers(writer: SqliteConnection, hasRecords: () => boolean): () => number | undefined {
  const now = () => writer.first(totalChanges)?.[0] as number
  let before = now()
  return () => {
    const noted = now() !== before && !hasRecords() ? logNote(writer) : undefined
    before = now()
    return noted
  }
}

/** The most rows that one look reads; when there are more, readers start over. */
const readMax = 10_000

export type SqliteChangeLog = Changes & {
  /** The last change that the current snapshot includes. */
  lastSeen(): number
  /** Logs writes of the open transaction, also for `committed`. */
  note(author: Author, about: LoggedWrite, records: readonly WrittenRecord[]): void
  /**
   * Call it where a transaction of a group begins. Returns how many changes the group has made so
   * far.
   */
  begins(): number
  /**
   * Call it before a commit. Counters and sweeps get a row as notes do, where other processes look
   * at the log.
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
  readonly salts: Pick<LogSalts, 'read'>
  readonly bounds: KeptBounds | undefined
  /** Whether other processes serve the same file. */
  readonly isShared: boolean
}

const rowsAfter = (sequence: number, limit: number): Statement => ({ sql: selectSql, parameters: [sequence, limit] })

export function makeChangeLog(deps: ChangeLogDeps): SqliteChangeLog {
  const { writer, reads, snapshot, catalog, feed, queue, salts, isShared, bounds = changesKeptDefault } = deps
  const reader = reads as Pick<SqliteConnection, 'all' | 'first'>
  const kept = keptLogOf(catalog, reads)
  const own = makeOwnChanges(writer, kept !== undefined)
  const runAlone = (work: () => Promise<void>) => queue.write(work)
  // Of one state of the file: another process may write meanwhile
  const first = snapshot.within(() => ({
    version: snapshot.dataVersion(),
    position: lastSequence(reader),
    unkept: makeUnkeptWrites({ writer, reader, runAlone, catalog, salts }),
  }))
  const { unkept } = first
  let { version: seenVersion, position } = first
  // Commands look at the log too, beside a process that serves the file alone
  const noteCommit = isShared || kept ? tellOthers(writer, own.some) : () => undefined
  /** The row of a commit without records. */
  let noted: number | undefined

  /**
   * Delivers the rows behind the position, in order; a gap, a cut or too many rows mean that some
   * were missed. A new data version means a commit of another process. Without a row in the log,
   * another program wrote it. `own`: changes with more details than their rows have.
   */
  function advance(own: readonly Change[] = []): void {
    const version = snapshot.dataVersion()
    const isOther = version !== seenVersion
    seenVersion = version
    const known = new Map(own.map((change) => [change.sequence, change]))
    const rows = reader.all(rowsAfter(position, readMax))
    const changes = rows.map((cells) => known.get(cells[0] as number) ?? readChange(catalog, cells))
    const isGap = changes.length > 0 && (changes.at(-1) as Change).sequence !== position + changes.length
    const isMissed = isGap || changes.length === readMax || changes.some(isCut)
    position = isMissed ? lastSequence(reader) : (changes.at(-1)?.sequence ?? position)
    if (isOther || changes.length > 0) unkept.seen(changes)
    if (isMissed || (isOther && changes.length === 0)) feed.reset()
    else feed.deliver(changes)
  }

  function look(): void {
    if (snapshot.dataVersion() !== seenVersion) snapshot.within(() => advance())
  }

  /** Delivers the changes of this process. `note`: the row of a commit that has none. */
  function tell(own: readonly Change[], note: number | undefined): void {
    const first = own[0]?.sequence ?? note
    if (first === undefined) return
    if (first === position + 1) {
      position = own.at(-1)?.sequence ?? first
      feed.deliver(own)
    } else if (own.length > 0) {
      // Other processes committed in between
      snapshot.within(() => advance(own))
    }
  }

  return {
    lastSeen: snapshot.once(() => lastSequence(reader)),
    follow: feed.follow,
    watch: feed.watch,
    trustedMs: 0,
    kept,
    isCurrent() {
      look()
      return true
    },
    catchUp: look,
    async read(place, limit) {
      const changes = (await reads.all(rowsAfter(Number(place ?? 0), limit))).map((cells) => readChange(catalog, cells))
      return { changes, place: changes.length === 0 ? place : String(changes.at(-1)?.sequence) }
    },
    note: own.note,
    begins: own.begins,
    undone: own.undone,
    ending() {
      noted = noteCommit()
      if (snapshot.dataVersion() === seenVersion) unkept.stamped()
    },
    committed() {
      const [changes, note] = [own.take(), noted]
      return () => tell(changes, note)
    },
    sweep: (nowMs = Date.now()) =>
      queue.write(async () => (kept ? sweepKept(writer, nowMs, bounds) : sweepUnkept(writer, nowMs))),
  }
}
