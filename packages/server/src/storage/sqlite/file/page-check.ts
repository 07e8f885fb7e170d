/**
 * Checks whether the pages of a file and the log beside it form one database, where neither has a
 * stamp. A read-only connection reads them as SQLite would join them. It takes as long as reading
 * the whole file.
 */

import type { DatabaseSync } from 'node:sqlite'
import { changesTable } from '../../changes.ts'
import { sweptNote } from '../../sql/kept-bounds.ts'
import { hasLog } from './log-match.ts'
import { openReadOnly } from './read-only.ts'

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged = [11, 26]

/**
 * There is one writer, so sequences have no gaps behind the rows that were swept. An older file
 * beside a newer log has one.
 */
function lostChanges(database: DatabaseSync): number {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = '${changesTable}'`).get()
  if (!isThere) return 0
  const swept = `coalesce((SELECT json_extract(value, '$.at') FROM bindery_meta WHERE name = '${sweptNote}'), 0)`
  const sql = `SELECT count(*) AS count, min(sequence) AS first, max(sequence) AS last FROM ${changesTable} WHERE sequence > ${swept}`
  const { count, first, last } = database.prepare(sql).get() as { count: number; first: number; last: number }
  return count === 0 ? 0 : last - first + 1 - count
}

function misfitOf(database: DatabaseSync): string | undefined {
  const [found] = database
    .prepare('PRAGMA quick_check(1)')
    .all()
    .map((row) => String(Object.values(row)[0]))
  if (found !== 'ok') return `together they are damaged (${(found ?? '').split('\n').at(-1)})`
  const lost = lostChanges(database)
  return lost > 0 ? `together they lack ${lost} of the changes that were made` : undefined
}

/**
 * The fault, as the end of a sentence. Also undefined where SQLite cannot read: opening then
 * reports why.
 */
export function findMismatch(path: string): string | undefined {
  try {
    const database = openReadOnly(path, !hasLog(path))
    try {
      return misfitOf(database)
    } finally {
      database.close()
    }
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number }
    return damaged.includes(errcode & 0xff) ? `together they are damaged (${message})` : undefined
  }
}

/**
 * The time of the file's last write without its log (RFC 3339). Undefined where that cannot be
 * read.
 */
export function lastWriteAlone(path: string): string | undefined {
  try {
    const database = openReadOnly(path, true)
    try {
      const sql = `SELECT max(at_ms) AS last FROM ${changesTable}`
      const { last } = database.prepare(sql).get() as { last: number | null }
      return last === null ? undefined : new Date(last).toISOString()
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

/** Whether the file is a complete database without its log. */
export function isWholeAlone(path: string): boolean {
  try {
    const database = openReadOnly(path, true)
    try {
      return misfitOf(database) === undefined
    } finally {
      database.close()
    }
  } catch {
    return false
  }
}

/**
 * Whether some pages or indexes that a start would open cannot be read. Takes as long as reading
 * the whole file.
 */
export function isDamaged(path: string): boolean {
  return findMismatch(path) !== undefined
}
