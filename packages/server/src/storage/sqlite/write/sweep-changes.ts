/**
 * Sweeps the change log of a SQLite file. Without a kept log, old rows go from the beginning on.
 * With one, rows that are not kept leave gaps. Kept rows go by their age and size.
 */
import { changesKeptMs, changesTable } from '../../changes.ts'
import {
  type KeptBounds,
  overdueRows,
  rowSizeSql,
  type SweptState,
  sweptNote,
  sweptStateIn,
} from '../../sql/kept-bounds.ts'
import { floorNote } from '../../sql/kept-changes.ts'
import type { SqliteConnection } from '../connection.ts'
import { readMeta, writeMeta } from '../meta.ts'
import { lastSequenceSql } from './change-table.ts'

const sweptMax = 2_000
const size = rowSizeSql('octet_length')
/**
 * Rows before an old one are old too, even if the clock was set back between them: so a sweep
 * leaves no gaps.
 */
const sweepSql = `DELETE FROM ${changesTable} WHERE sequence < (${lastSequenceSql}) AND sequence <= (SELECT max(sequence) FROM ${changesTable}
  WHERE at_ms < ?1 AND sequence <= (SELECT min(sequence) + ?2 FROM ${changesTable}))`
const firstSql = `SELECT coalesce(min(sequence), 1) - 1 FROM ${changesTable}`
/** The newest row always stays. */
const upToSql = `SELECT max(sequence) FROM ${changesTable} WHERE sequence > ?1 AND sequence <= ?1 + ?2 AND at_ms < ?3 AND sequence < (${lastSequenceSql})`
const addedSql = `SELECT coalesce(sum(${size}), 0), count(*) FROM ${changesTable} WHERE sequence > ? AND sequence <= ? AND tx IS NOT NULL`
const unkeptSql = `DELETE FROM ${changesTable} WHERE sequence > ? AND sequence <= ? AND tx IS NULL`
const oldestSql = `SELECT sequence, at_ms, ${size} FROM ${changesTable} WHERE sequence <= ? ORDER BY sequence LIMIT ?`
const removeSql = `DELETE FROM ${changesTable} WHERE sequence <= ?`

/** How far sweeps have come: from here on the rows have no gaps. */
export function readSwept(connection: SqliteConnection): SweptState<number> | undefined {
  return sweptStateIn(readMeta(connection, sweptNote))
}

/** Runs in a transaction. Returns whether there may be more. */
export function sweepUnkept(writer: SqliteConnection, nowMs: number): boolean {
  return writer.run({ sql: sweepSql, parameters: [nowMs - changesKeptMs, sweptMax] }) >= sweptMax
}

/** The same with a kept log. */
export function sweepKept(writer: SqliteConnection, nowMs: number, bounds: KeptBounds): boolean {
  const number = (sql: string, ...parameters: unknown[]) => Number(writer.first({ sql, parameters })?.[0] ?? 0)
  const before = readSwept(writer) ?? { at: 0, bytes: 0, rows: 0 }
  const from = Math.max(before.at, number(firstSql))
  const at = Math.max(from, number(upToSql, from, sweptMax, nowMs - changesKeptMs))
  const [addedBytes, addedRows] = writer.first({ sql: addedSql, parameters: [from, at] }) as [number, number]
  const bytes = before.bytes + addedBytes
  writer.run({ sql: unkeptSql, parameters: [from, at] })
  const oldest = (limit: number) =>
    writer
      .all({ sql: oldestSql, parameters: [at, limit] })
      .map(([sequence, atMs, own]) => ({ sequence: sequence as number, atMs: atMs as number, size: own as number }))
  // The oldest one says whether any is due.
  const isDue = overdueRows(oldest(1), { bytes, bounds, nowMs }).count > 0
  const rows = isDue ? oldest(sweptMax) : []
  const due = overdueRows(rows, { bytes, bounds, nowMs })
  const last = rows[due.count - 1]
  if (last) {
    writer.run({ sql: removeSql, parameters: [last.sequence] })
    writeMeta(writer, floorNote, String(last.sequence))
  }
  const state: SweptState<number> = {
    at,
    bytes: Math.max(0, bytes - due.size),
    rows: Math.max(0, before.rows + addedRows - due.count),
  }
  if (at !== before.at || last) writeMeta(writer, sweptNote, JSON.stringify(state))
  return at - from >= sweptMax || due.count >= sweptMax
}
