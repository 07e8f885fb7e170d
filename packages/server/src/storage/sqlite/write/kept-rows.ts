/**
 * The kept part of the change log in the SQLite file. Its rows name the first row of their
 * transaction (`tx`, 0 for that row itself). There is one writer, so all rows are settled.
 */
import { randomBytes } from 'node:crypto'
import type { Catalog } from '../../../resource/catalog.ts'
import { firstPlace, type KeptLog } from '../../derived/kept-log.ts'
import { changeColumns, changesTable, readChange } from '../../sql/change-rows.ts'
import { textLiteral } from '../../sql/ddl-words.ts'
import {
  epochNote,
  floorNote,
  keptNames,
  keptResources,
  loggedNote,
  makeKeptLog,
  nextLogged,
} from '../../sql/kept-changes.ts'
import type { Executor } from '../../sql/reader.ts'
import type { SqliteConnection } from '../connection.ts'
import { readMeta, writeMeta } from '../meta.ts'
import { lastSequenceSql } from './change-table.ts'

export const keptIndexSql = `CREATE INDEX IF NOT EXISTS bindery_kept_changes ON ${changesTable} (resource, sequence) WHERE tx IS NOT NULL`
const columns = ['sequence', ...changeColumns, 'tx'].join()

/** At start: notes which fields the log keeps from here on, and makes the index of its rows. */
export function beginKeeping(writer: SqliteConnection, catalog: Catalog): void {
  const isKept = keptResources(catalog).length > 0
  const noted = readMeta(writer, loggedNote)
  if (!isKept && noted === undefined) return
  const { database } = writer
  database.exec('BEGIN IMMEDIATE')
  try {
    const now = String(writer.first({ sql: lastSequenceSql, parameters: [] })?.[0] ?? firstPlace)
    const next = nextLogged(catalog, readMeta(writer, loggedNote), now)
    if (next !== undefined) writeMeta(writer, loggedNote, next)
    if (isKept) {
      database.exec(keptIndexSql)
      if (readMeta(writer, epochNote) === undefined) writeMeta(writer, epochNote, randomBytes(8).toString('hex'))
    }
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
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
      return { rows: rows.map(keptOf), end: String(last), floor: (await note(floorNote)) ?? firstPlace }
    },
    end: async () => String(await end()),
    async of({ name }, after, limit) {
      const rows = await reads.all({ sql: ofSql, parameters: [name, Number(after), limit] })
      return rows.map((cells) => readChange(catalog, cells))
    },
    note,
  })
}
