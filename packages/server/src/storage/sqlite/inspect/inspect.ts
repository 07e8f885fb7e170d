/**
 * Inspects a SQLite database without changing it, while a server serves it or where none can start.
 * Its one read-only connection holds no lock that a writer waits for; a checkpoint waits until it
 * closes.
 */

import { statSync } from 'node:fs'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { changesTable } from '../../changes.ts'
import { copyMark } from '../../copy/copy-mark.ts'
import type { DatabaseNotes, InspectOptions } from '../../database-kind.ts'
import { type Findings, named } from '../../finding.ts'
import { inspectEffects, readEffectTroubles } from '../../inspect-effects.ts'
import { type InspectContext, inspectRecords, wholeTables } from '../../inspect-records.ts'
import { inspectSchema } from '../../inspect-schema.ts'
import type { SchemaModel } from '../../model/model.ts'
import { inspectSchedules } from '../../schedules/inspect-schedules.ts'
import { listSchedules } from '../../schedules/schedule-rows.ts'
import { schedulesTable } from '../../schedules/stored-schedules.ts'
import { quote } from '../../sql/ddl-words.ts'
import { makeReader, makeSqlTools } from '../../sql/reader.ts'
import { effectsTable } from '../../stored-effects.ts'
import { inspectWebhooks } from '../../webhooks/inspect-webhooks.ts'
import type { SqliteConnection } from '../connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { isAtLeast } from '../file/library.ts'
import { hasLog, isLogGone } from '../file/log-match.ts'
import { openReadOnly } from '../file/read-only.ts'
import type { SqliteSetup } from '../file/setup.ts'
import { readMeta } from '../meta.ts'
import { pendingSteps, readModel } from '../migrate/apply-migration.ts'
import { statementsOf } from '../migrate/ddl.ts'
import { readSwept } from '../write/sweep-changes.ts'
import { inspectFiles } from './inspect-files.ts'
import { presentOf } from './present.ts'

const restore =
  'Stop the server and restore a backup into an empty place; what can still be read is saved by: bindery export --all --with-secrets rest.ndjson.gz'
const linesMax = 10

function connectionOn(database: DatabaseSync): SqliteConnection {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const refuse = (): never => {
    throw new Error('an examination writes nothing')
  }
  return {
    database,
    prepare,
    all: ({ sql, parameters }) => prepare(sql).all(...(parameters as SQLInputValue[])) as unknown as unknown[][],
    first: ({ sql, parameters }) =>
      prepare(sql).get(...(parameters as SQLInputValue[])) as unknown as unknown[] | undefined,
    run: refuse,
    insert: refuse,
    guard: (work) => work(),
  }
}

function texts(database: DatabaseSync, sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row).join(' '))
}

function problemsOf(database: DatabaseSync, deep: boolean): readonly string[] {
  try {
    const lines = texts(database, `PRAGMA ${deep ? 'integrity_check' : 'quick_check'}(${linesMax})`)
    // Each line with a database's name begins a list of its faults
    return lines[0] === 'ok' ? [] : lines.flatMap((line) => line.split('\n')).filter((line) => !line.startsWith('***'))
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Returns whether the inspection can go on. */
function inspectIntegrity({ about }: Findings, database: DatabaseSync, { path, deep }: InspectRequest): boolean {
  const problems = problemsOf(database, deep)
  const check = deep ? 'integrity (deep)' : 'integrity'
  if (problems.length === 0) {
    about(check, path).ok(deep ? 'every page and index was read' : 'every page was read')
    return true
  }
  const count = `${problems.length >= linesMax ? 'at least ' : ''}${problems.length}`
  const what = `${count} ${problems.length === 1 ? 'problem' : 'problems'}: ${named(problems, 2)}`
  about(check, path).bad(what, restore)
  return false
}

/** There is one writer, so sequences have no gaps behind the rows that were swept. */
function inspectSequences({ about }: Findings, connection: SqliteConnection): void {
  const sql = `SELECT count(*), min(sequence), max(sequence) FROM ${changesTable} WHERE sequence > ?`
  const parameters = [readSwept(connection)?.at ?? 0]
  const [count, first, last] = connection.first({ sql, parameters }) as [number, number, number]
  const missing = count === 0 ? 0 : last - first + 1 - count
  if (missing > 0)
    about('change log', changesTable).bad(
      `${missing} ${missing === 1 ? 'row is' : 'rows are'} missing between ${first} and ${last}: servers that read it may keep what is no longer so`,
      "Restart every server, which then reads everything anew. The log is the server's own: let nothing else write to it",
    )
}

/** In a damaged file they may still be readable, and then they are needed most. */
function readNotes(connection: SqliteConnection, notes: DatabaseNotes): void {
  try {
    notes.found = new Map(notes.names.map((name) => [name, readMeta(connection, name)]))
  } catch {
    // the integrity check reports why
  }
}

async function inspectInside(findings: Findings, connection: SqliteConnection, asked: InspectRequest): Promise<void> {
  const { path, catalog, nowMs, notes } = asked
  if (notes) readNotes(connection, notes)
  if (!inspectIntegrity(findings, connection.database, asked)) return
  if (!catalog) return
  const run = (sql: string) => `sqlite3 '${path}' '${sql.replaceAll("'", "'\\''")}'`
  const number = (sql: string, ...parameters: unknown[]) => Number(connection.first({ sql, parameters })?.[0] ?? 0)
  const present = presentOf(connection.database)
  let model: SchemaModel | undefined
  await findings.part('schema', path, async () => {
    const mark = readMeta(connection, copyMark)
    const remembered = readModel(connection)
    const pending = async () => (await pendingSteps(connection, catalog)).steps
    model = await inspectSchema(findings, { catalog, mark, remembered, present, sqlOf: statementsOf, run, pending })
  })
  if (!model) return
  if (present.has(effectsTable))
    await findings.part('effects', effectsTable, async () =>
      inspectEffects(findings, { found: await readEffectTroubles(connection, nowMs), catalog }),
    )
  if (present.has(schedulesTable))
    await findings.part('schedules', schedulesTable, async () =>
      inspectSchedules(findings, { found: await listSchedules(connection), catalog, nowMs }),
    )
  const reader = makeReader(connection, makeSqlTools(catalog, sqliteDialect))
  const whole = wholeTables(model, present)
  await findings.part('webhooks', path, () => inspectWebhooks(findings, { reader, catalog, nowMs, whole }))
  const hasLog = present.has(changesTable)
  if (hasLog) await findings.part('change log', changesTable, () => inspectSequences(findings, connection))
  const inside: InspectContext = {
    executor: connection,
    catalog,
    tables: whole,
    hasLog,
    parameter: '?',
    nowMs,
    rowsOf: async (table) => number(`SELECT max(rowid) FROM ${quote(table)}`),
    run,
    counter: {
      last: async ({ name }) => number('SELECT seq FROM sqlite_sequence WHERE name = ?', name),
      set: ({ name }, id) => `UPDATE sqlite_sequence SET seq = ${id} WHERE name = '${name}'`,
    },
  }
  await inspectRecords(findings, inside, statSync(path).mtimeMs)
}

type InspectRequest = InspectOptions & { readonly path: string }

const readSchema = 'BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1'

/**
 * Opens the file with its log if that can be read. Throws where even the list of tables cannot be
 * read.
 */
function openSomehow(path: string): DatabaseSync {
  try {
    // The index of a missing log would lead to pages that do not exist
    const database = openReadOnly(path, !hasLog(path) || isLogGone(path))
    database.exec(readSchema)
    return database
  } catch {
    const database = openReadOnly(path, true)
    database.exec(readSchema)
    return database
  }
}

export async function inspectSqlite(findings: Findings, setup: SqliteSetup, options: InspectOptions): Promise<void> {
  const { path } = setup
  if (!(await inspectFiles(findings, setup))) return
  await findings.part('integrity', path, async () => {
    let database: DatabaseSync
    try {
      database = openSomehow(path)
    } catch (error) {
      const what = `cannot be looked at: ${(error as Error).message}`
      findings.about('integrity', path).bad(what, restore)
      return
    }
    try {
      const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
      const { ok, bad } = findings.about('versions', 'SQLite')
      if (isAtLeast(version, [3, 51, 3])) ok(version)
      else bad(version, 'Take Node 24.15 or 26: this one may damage a database')
      await inspectInside(findings, connectionOn(database), { ...options, path })
    } finally {
      database.close()
    }
  })
}
