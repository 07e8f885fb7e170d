/**
 * Migrates a SQLite file to the current declarations in one transaction. Fills of rows come before
 * it, in batches. The migration checks for all violations before it changes anything.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import { copyMark, refuseUnfinished } from '../../copy/copy-mark.ts'
import { requirementsMark } from '../../migrate/broken-records.ts'
import { readCurrentSchema, refuseStrangers } from '../../migrate/current-schema.ts'
import { examine, refuse } from '../../migrate/examine.ts'
import { type MigrateOptions, type PendingMigration, planNotes, withSql } from '../../migrate/migrate-options.ts'
import type { MigrationDatabase } from '../../migrate/migration-database.ts'
import { narrowedIn } from '../../migrate/narrowed.ts'
import { planSchema } from '../../migrate/plan-schema.ts'
import { isBatched, runSteps, settle } from '../../migrate/run-steps.ts'
import { type MigrationStep, tableNameOf } from '../../migrate/steps.ts'
import { modelOf, type SchemaModel } from '../../model/model.ts'
import { readStoredModel } from '../../model/stored-model.ts'
import { schedulesTableSql } from '../../schedules/schedule-rows.ts'
import { quote } from '../../sql/ddl-words.ts'
import { numbersTable } from '../../sql/number-series.ts'
import { type SqliteConnection, translateError } from '../connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { presentOf } from '../inspect/present.ts'
import { readMeta, writeMeta } from '../meta.ts'
import { dropTextTables, planTextTables, rowNumberOf, type TextPlan } from '../texts/text-tables.ts'
import { makeChangesTable } from '../write/change-table.ts'
import { makeEffectsTable } from '../write/effects-table.ts'
import { jobsTableSql } from '../write/jobs-table.ts'
import { makeRequestsTable } from '../write/requests.ts'
import { statementsOf } from './ddl.ts'
import { executeEdits } from './table-text.ts'

const ownTables = `
  CREATE TABLE IF NOT EXISTS bindery_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS bindery_counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL, reset_at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${numbersTable} (series TEXT PRIMARY KEY, taken INTEGER NOT NULL) STRICT;
  ${jobsTableSql}
  ${schedulesTableSql({ text: 'TEXT', integer: 'INTEGER', end: ' STRICT' })}
`

export function readModel(connection: SqliteConnection): SchemaModel | undefined {
  const text = readMeta(connection, 'model')
  return text === undefined ? undefined : readStoredModel(text, readMeta(connection, 'meanings'))
}

/** The real schema, and the plan from it. No other process serves the file while it is migrated. */
function planOf(connection: SqliteConnection, catalog: Catalog, given: readonly string[] = []) {
  const allowed = new Set(given)
  const present = presentOf(connection.database)
  const stands = readCurrentSchema(readModel(connection), { present, catalog, allowed })
  const plan = planSchema(stands.model, catalog, { beside: false, allowed, lost: stands.lost })
  refuseStrangers(plan.steps, present)
  return { ...stands, plan }
}

/**
 * The steps from the stored model to the current one. Throws `StartError` when a copy into the file
 * has not completed.
 */
export function modelSteps(connection: SqliteConnection, catalog: Catalog): readonly MigrationStep[] {
  refuseUnfinished(readMeta(connection, copyMark))
  const { steps, refusals } = planSchema(readModel(connection), catalog, { beside: false, allowed: new Set() })
  refuse(refusals)
  return steps
}

/** The same with a step for each table whose words or parts get a new index, besides new tables. */
function withTexts(
  steps: readonly MigrationStep[],
  plans: readonly TextPlan[],
  model: SchemaModel,
): readonly MigrationStep[] {
  const made = steps.flatMap((step) => (typeof step.table === 'string' ? [] : [step.table.name]))
  const anew = plans.map(({ resource }) => resource.table).filter((table) => !made.includes(table))
  const tables = model.tables.filter(({ name }) => anew.includes(name))
  return [...steps, ...tables.map((table) => ({ kind: 'create-search', table }) as const)]
}

/** The steps that the next start would take. Throws like `migrate`. */
export async function pendingSteps(
  connection: SqliteConnection,
  catalog: Catalog,
  options: MigrateOptions = {},
): Promise<PendingMigration> {
  refuseUnfinished(readMeta(connection, copyMark))
  const { plan, model } = planOf(connection, catalog, options.allowed)
  const from = { dialect: sqliteDialect, executor: connection }
  await examine(from, plan)
  const steps = withTexts(plan.steps, planTextTables(connection, catalog), modelOf(catalog))
  const known = readMeta(connection, requirementsMark)
  return {
    ...withSql({ steps, later: [] }, model, statementsOf),
    told: () => planNotes(from, { plan, model, catalog, known }, options),
  }
}

/** With fewer rows, indexing their texts takes less than a second. */
const rowsReported = 50_000

/** The approximate number of rows ever created: the highest row number, which needs no count. */
function readMade(connection: SqliteConnection, resource: Resource): number {
  const sql = `SELECT max("${rowNumberOf(resource)}") FROM "${resource.table}"`
  return (connection.first({ sql, parameters: [] })?.[0] as number | null) ?? 0
}

/** Commits all of the work or nothing. Joins the open transaction, if there is one. */
export async function inTransaction<T>({ database }: SqliteConnection, work: () => Promise<T>): Promise<T> {
  if (database.isTransaction) return work()
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = await work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function databaseOf(connection: SqliteConnection): MigrationDatabase {
  const { database } = connection
  return {
    dialect: sqliteDialect,
    executor: connection,
    meta: {
      get: async (name) => readMeta(connection, name),
      set: async (name, value) => writeMeta(connection, name, value),
      async remove(name) {
        database.prepare('DELETE FROM bindery_meta WHERE name = ?').run(name)
      },
    },
    statementsOf,
    execute: async (sql) => executeEdits(database, sql),
    isApart: () => false,
    takeApart: async () => undefined,
    transaction: (work) => inTransaction(connection, work),
    lock: async () => undefined, // a transaction that writes has locked the file
    async update(table, columns, rows) {
      const set = columns.map(({ name }) => `${quote(name)} = ?`).join(', ')
      const sql = `UPDATE ${quote(table.name)} SET ${set} WHERE ${quote(table.primaryKey)} = ? AND version = ?`
      for (const { id, version, values } of rows) connection.run({ sql, parameters: [...values, id, version] })
    },
    breathe: async () => void (await breathe()),
  }
}

/** The full-text tables that a step drops with their table, or that would block its new name. */
function textsInTheWay(connection: SqliteConnection, steps: readonly MigrationStep[]): string[] {
  const tables = steps.flatMap((step) => {
    if (step.kind === 'rename-table') return [step.from.name]
    return step.kind === 'drop-table' ? [tableNameOf(step)] : []
  })
  return tables.flatMap((table) => dropTextTables(connection, table))
}

/**
 * Returns the steps taken. Throws `StartError` when data would be lost, or a copy into the file has
 * not completed; nothing has changed then. `forCopy`: the caller is that copy. `report` receives
 * slow steps: indexes of tables that have rows.
 */
export async function migrate(
  connection: SqliteConnection,
  catalog: Catalog,
  { forCopy = false, report, allowed, losses, checks }: MigrateOptions = {},
): Promise<readonly MigrationStep[]> {
  const { database } = connection
  // before the lock that a running copy holds
  if (!forCopy) refuseUnfinished(readMeta(connection, copyMark))
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec(ownTables)
    makeChangesTable(database)
    makeRequestsTable(database)
    makeEffectsTable(database)
    if (!forCopy) refuseUnfinished(readMeta(connection, copyMark))
    const { plan, model: before, isLess } = planOf(connection, catalog, allowed)
    const from = { dialect: sqliteDialect, executor: connection }
    await examine(from, plan)
    for (const note of await narrowedIn(from, plan)) report?.(note)
    const texts = planTextTables(connection, catalog)
    const steps = withTexts(plan.steps, texts, modelOf(catalog))
    const isLong = plan.steps.some(isBatched)
    for (const statement of textsInTheWay(connection, plan.steps)) database.exec(statement)
    for (const statement of planTextTables(connection, catalog).flatMap(({ before: first }) => first))
      database.exec(statement)
    if (isLong) database.exec('COMMIT')
    const taking = { catalog, state: before ?? { tables: [] }, steps: plan.steps, report, losses, checks }
    const state = await runSteps(databaseOf(connection), taking)
    if (!database.isTransaction) database.exec('BEGIN IMMEDIATE')
    for (const { resource, after } of planTextTables(connection, catalog)) {
      const rows = readMade(connection, resource)
      if (rows > rowsReported)
        report?.(`Indexing the texts of ${rows} ${resource.table} anew, once; this takes a while`)
      for (const statement of after) database.exec(statement)
    }
    await settle(databaseOf(connection), { ...taking, state, steps, beside: false, isLess })
    database.exec('COMMIT')
    return steps
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw translateError(error)
  }
}
