/**
 * The kept part of the change log in the SQLite file. Its rows name the first row of their
 * transaction (`tx`, 0 for that row itself). There is one writer, so all rows are settled.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import { type Change, changesTable } from '../../changes.ts'
import { firstPlace, type KeptLog } from '../../derived/kept-log.ts'
import { parseMarks, withNewMark } from '../../derived/log-marks.ts'
import { changeColumns, readChange } from '../../sql/change-rows.ts'
import { textLiteral } from '../../sql/ddl-words.ts'
import { rowSizeSql, sweptNote, sweptStateIn } from '../../sql/kept-bounds.ts'
import {
  drawEpoch,
  epochNote,
  floorNote,
  keptNames,
  keptResources,
  loggedNote,
  makeKeptLog,
  marksNote,
  nextLogged,
  unkeptResources,
} from '../../sql/kept-changes.ts'
import type { Executor } from '../../sql/reader.ts'
import { mayBeFull, type SqliteConnection } from '../connection.ts'
import type { LogSalts } from '../file/log-stamp.ts'
import { readMeta, writeMeta } from '../meta.ts'
import { lastSequence, lastSequenceSql, logNote, logUnknown } from './change-table.ts'

export const keptIndexSql = `CREATE INDEX IF NOT EXISTS bindery_kept_changes ON ${changesTable} (resource, sequence) WHERE tx IS NOT NULL`
const keptSql = `FROM ${changesTable} WHERE tx IS NOT NULL`
const tailSql = `SELECT count(*), coalesce(sum(${rowSizeSql('octet_length')}), 0) ${keptSql} AND sequence > ?`
const oldestSql = `SELECT at_ms ${keptSql} ORDER BY sequence LIMIT 1`
const recentSql = `SELECT coalesce(nullif(tx, 0), sequence) - 1 ${keptSql} ORDER BY sequence DESC LIMIT 1 OFFSET ?`
const columns = ['sequence', ...changeColumns, 'tx'].join()

/** At start: notes which fields the log keeps from here on, and makes the index of its rows. */
export function beginKeeping(writer: SqliteConnection, catalog: Catalog): void {
  const isKept = keptResources(catalog).length > 0
  const noted = readMeta(writer, loggedNote)
  if (!isKept && noted === undefined) return
  const { database } = writer
  database.exec('BEGIN IMMEDIATE')
  try {
    const now = String(lastSequence(writer))
    const next = nextLogged(catalog, readMeta(writer, loggedNote), now)
    const isUnnamed = isKept && readMeta(writer, epochNote) === undefined
    if (next !== undefined) writeMeta(writer, loggedNote, next)
    if (isUnnamed) writeMeta(writer, epochNote, drawEpoch())
    if (isKept) database.exec(keptIndexSql)
    if (next !== undefined || isUnnamed) logNote(writer)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/**
 * Call it where no other process has the file open: those have read the marks. A full disk gets
 * none, and can still be read.
 */
export function drawMark(writer: SqliteConnection): void {
  const { database } = writer
  try {
    database.exec('BEGIN IMMEDIATE')
    const end = String(lastSequence(writer))
    const floor = readMeta(writer, floorNote) ?? firstPlace
    const marks = withNewMark(parseMarks(readMeta(writer, marksNote)), { end, floor })
    writeMeta(writer, marksNote, JSON.stringify(marks))
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (!mayBeFull(error)) throw error
  }
}

/** The log of the current snapshot; undefined where nothing is kept. */
export function keptLogOf(catalog: Catalog, reads: Executor): KeptLog | undefined {
  if (keptResources(catalog).length === 0) return undefined
  const names = keptNames(catalog).map(textLiteral).join()
  const some = `SELECT ${columns} FROM ${changesTable} WHERE`
  /** Without the index: most rows of the kept part are of these resources. */
  const readSql = `${some} sequence > ? AND sequence <= ? AND +resource IN (${names}) ORDER BY sequence LIMIT ?`
  const ofSql = `${some} resource IN (?, ${textLiteral(changesTable)}) AND sequence > ? AND tx IS NOT NULL ORDER BY sequence LIMIT ?`
  const end = async () => ((await reads.first({ sql: lastSequenceSql, parameters: [] }))?.[0] ?? 0) as number
  const note = async (name: string) => {
    const found = await reads.first({ sql: 'SELECT value FROM bindery_meta WHERE name = ?', parameters: [name] })
    return found?.[0] as string | undefined
  }

  return makeKeptLog(catalog, {
    async read(after, limit) {
      const last = await end()
      const rows = await reads.all({ sql: readSql, parameters: [Number(after), last, limit] })
      const keptOf = (cells: readonly unknown[]) => {
        const [sequence, tx] = [cells[0] as number, cells.at(-1) as number | null]
        return { change: readChange(catalog, cells), transaction: BigInt(tx || sequence) }
      }
      // The floor rises only: one of a later moment says no less.
      const floor = (await note(floorNote)) ?? firstPlace
      return { rows: rows.map(keptOf), end: String(last), floor, isAhead: Number(after) > last }
    },
    end: async () => String(await end()),
    async of({ name }, after, limit) {
      const rows = await reads.all({ sql: ofSql, parameters: [name, Number(after), limit] })
      return rows.map((cells) => readChange(catalog, cells))
    },
    note,
    async figures() {
      const swept = sweptStateIn<number>(await note(sweptNote)) ?? { at: 0, bytes: 0, rows: 0 }
      const tail = (await reads.first({ sql: tailSql, parameters: [swept.at] })) as [number, number]
      const oldestMs = (await reads.first({ sql: oldestSql, parameters: [] }))?.[0] as number | undefined
      const held = { rows: 0, oldestMs: undefined }
      return { rows: swept.rows + tail[0], bytes: swept.bytes + tail[1], oldestMs, held }
    },
    holders: async () => [],
    async recent(count) {
      const found = await reads.first({ sql: recentSql, parameters: [count - 1] })
      return found && String(found[0])
    },
  })
}

/**
 * Writes whose values the kept log lacks: of another program, or of a process whose declarations do
 * not keep them yet. Its readers must learn of them, so this process adds a row in their place.
 */
export type UnkeptWrites = {
  /**
   * Another connection has committed. Call it in the snapshot that has its changes. Without a
   * change it was another program, unless the stamp of the file is new.
   */
  seen(changes: readonly Change[]): void
  /**
   * Call it in a transaction of this process. No other one has committed since the last look, so a
   * new stamp is its own.
   */
  stamped(): void
}

/** Runs work in a transaction of its own. */
type RunAlone = (work: () => Promise<void>) => Promise<unknown>

type UnkeptDeps = {
  readonly writer: SqliteConnection
  /** Reads in the current snapshot. */
  readonly reader: Pick<SqliteConnection, 'first'>
  readonly runAlone: RunAlone
  readonly catalog: Catalog
  readonly salts: Pick<LogSalts, 'read'>
}

const nothing: UnkeptWrites = { seen: () => undefined, stamped: () => undefined }
const stampSql = { sql: 'PRAGMA user_version', parameters: [] }

/** Call it in a snapshot. */
export function makeUnkeptWrites({ writer, reader, runAlone, catalog, salts }: UnkeptDeps): UnkeptWrites {
  const kept = keptResources(catalog).map(({ name }) => name)
  if (kept.length === 0) return nothing
  const now = (connection: Pick<SqliteConnection, 'first'>) => ({
    stamp: connection.first(stampSql)?.[0],
    salts: salts.read(),
  })
  let known = now(reader)

  function add(names: readonly string[], isSo = () => true): void {
    if (names.length === 0) return
    const work = async () => void (isSo() && logUnknown(writer, names))
    // the next write tells of a database that is away
    runAlone(work).catch(() => undefined)
  }
  /**
   * A log that begins anew looks like a commit without a row, until the commit that begins it has
   * ended. So a transaction of this process looks again: for its stamp, or where others wrote all
   * the time and there is none, for its rows.
   */
  function addPast(before: typeof known): void {
    const last = lastSequence(reader)
    add(kept, () => {
      const { stamp, salts } = now(writer)
      const hasBegun = salts !== before.salts && lastSequence(writer) > last
      return stamp === before.stamp && !hasBegun
    })
  }
  return {
    seen(changes) {
      const before = known
      known = now(reader)
      if (changes.length > 0) add(unkeptResources(catalog, changes))
      else if (known.stamp === before.stamp) addPast(before)
    },
    stamped() {
      known = now(writer)
    },
  }
}
