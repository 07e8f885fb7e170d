/**
 * Copies the file page by page while writes go on. SQLite's online backup restarts after each write
 * of another process, so steady writes would keep it from ending. Inside an open transaction it
 * reads one snapshot, and ends.
 */
import { hash } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { StartError } from '../../../errors.ts'
import { type KeptFile, keptFields, keptFile } from '../../copy/kept-files.ts'
import { columnOf } from '../../model/model.ts'
import type { CapturedBackup, CaptureOptions } from '../../native-backup.ts'
import { openConnection, type SqliteConnection, startErrorOf } from '../connection.ts'
import { readMeta } from '../meta.ts'
import { readModel } from '../migrate/apply-migration.ts'
import type { ServedFile } from './served-file.ts'

const filesTable = 'stored_files'

/** Pages of 4 kB; a step takes a few milliseconds. */
const pagesOfStep = 500
/** Steps between two fsyncs: one fsync for all would delay the commits of others on that disk. */
const unsyncedStepsMax = 4

function sleepSync(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Copies the snapshot of the connection's open transaction. */
async function copyPages(from: SqliteConnection, to: string, { idleShare, stop }: CaptureOptions): Promise<void> {
  const copy = openSync(to, 'wx', 0o600)
  try {
    let sinceMs = performance.now()
    let unsynced = 0
    await backup(from.database, to, {
      rate: pagesOfStep,
      progress() {
        stop?.throwIfAborted()
        unsynced += 1
        if (unsynced >= unsyncedStepsMax) {
          fdatasyncSync(copy)
          unsynced = 0
        }
        const tookMs = performance.now() - sinceMs
        sleepSync(Math.min(100, (tookMs * idleShare) / (1 - idleShare)))
        sinceMs = performance.now()
      },
    })
    fsyncSync(copy)
  } finally {
    closeSync(copy)
  }
}

/** Rows of each table in the stored model. */
function countsOf(connection: SqliteConnection): Record<string, number> {
  const names = readModel(connection)?.tables.map(({ name }) => name) ?? []
  return Object.fromEntries(
    names.map((name) => {
      const cells = connection.first({ sql: `SELECT count(*) FROM "${name}"`, parameters: [] }) as [number]
      return [name, cells[0]]
    }),
  )
}

function problemsOf(connection: SqliteConnection): string[] {
  const found = connection.all({ sql: 'PRAGMA integrity_check(3)', parameters: [] }).map(([text]) => String(text))
  const orphans = connection.all({ sql: 'PRAGMA foreign_key_check', parameters: [] })
  return [
    ...found.filter((text) => text !== 'ok'),
    ...(orphans.length > 0 ? [`${orphans.length} rows refer to rows that are not there`] : []),
  ]
}

/** Opens a copy that no other process uses. Throws `StartError`. */
function onCopy<T>(file: string, work: (connection: SqliteConnection) => T): T {
  let connection: SqliteConnection | undefined
  try {
    connection = openConnection(file, { readOnly: false })
    return work(connection)
  } catch (error) {
    throw startErrorOf(file, error)
  } finally {
    connection?.database.close()
  }
}

/** Throws `StartError` unless the file is complete. Returns its rows by table. */
export async function countCopy(file: string): Promise<CapturedBackup['tables']> {
  return onCopy(file, (connection) => {
    const [problem] = problemsOf(connection)
    if (problem !== undefined) throw new StartError(`The copy of the database is damaged: ${problem}`)
    return countsOf(connection)
  })
}

/** Throws `StartError` unless the file is complete and has these rows. */
export async function checkCopy(file: string, tables: CapturedBackup['tables']): Promise<void> {
  const counts = await countCopy(file)
  for (const name of new Set([...Object.keys(counts), ...Object.keys(tables)]))
    if (counts[name] !== tables[name])
      throw new StartError(`The copy has ${counts[name] ?? 0} rows in ${name}, and ${tables[name] ?? 0} are expected`)
}

const keptAtOnce = 1000

/** The files whose bytes belong to the database in the file, by id; none in one without files. */
export async function* keptFilesIn(file: string): AsyncGenerator<KeptFile> {
  const isThere = onCopy(file, (connection) => readModel(connection)?.tables.some(({ name }) => name === filesTable))
  if (!isThere) return
  const columns = keptFields.map((field) => `"${columnOf(field)}"`).join(', ')
  const sql = `SELECT ${columns} FROM "${filesTable}" WHERE "id" > ? ORDER BY "id" LIMIT ${keptAtOnce}`
  for (let after = ''; ; ) {
    const rows = onCopy(file, (connection) => connection.all({ sql, parameters: [after] }))
    for (const row of rows) {
      const kept = keptFile(row)
      if (kept) yield kept
    }
    if (rows.length < keptAtOnce) return
    after = String(rows.at(-1)?.[0])
  }
}

/** Throws `StartError` when the database is not of Bindery, or is damaged. */
export async function captureFile({ path, joined }: ServedFile, capturing: CaptureOptions): Promise<CapturedBackup> {
  const name = 'database.db'
  const file = join(capturing.folder, name)
  const at = new Date().toISOString()
  const source = openConnection(path, { readOnly: true, joined })
  let facts: Omit<CapturedBackup, 'file' | 'at'>
  try {
    source.database.exec('BEGIN')
    const model = readMeta(source, 'model')
    if (model === undefined) throw new StartError(`${path} is no database of Bindery`)
    facts = { schema: hash('sha256', model, 'hex'), tables: countsOf(source) }
    await copyPages(source, file, capturing)
  } catch (error) {
    throw startErrorOf(path, error)
  } finally {
    source.database.close()
  }
  await checkCopy(file, facts.tables)
  return { file: name, at, ...facts }
}
