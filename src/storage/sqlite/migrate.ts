/** Brings a SQLite file to today's declarations, in one transaction, or stops and changes nothing. */
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { planMigration, refuseLosses, type Step } from '../migration.ts'
import { makeTools } from '../reader.ts'
import { refill } from '../refill.ts'
import { type Model, modelOf } from '../schema.ts'
import { brokenKeyOf, type Connection } from './connection.ts'
import { statementsOf } from './ddl.ts'
import { sqliteDialect } from './dialect.ts'

const ownTables = `
  CREATE TABLE IF NOT EXISTS bindery_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS bindery_counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL, reset_at_ms INTEGER NOT NULL) STRICT;
`

function readModel({ database }: Connection): Model | undefined {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'bindery_meta'").get()) return undefined
  const row = database.prepare("SELECT value FROM bindery_meta WHERE name = 'model'").get() as
    | { value: string }
    | undefined
  return row && (JSON.parse(row.value) as Model)
}

/** What the next start would do, without doing it. Throws `StartError` when data would be lost. */
export function pendingSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  const plan = planMigration(readModel(connection), modelOf(catalog))
  refuseLosses(plan)
  return plan.steps
}

/** Returns the steps that were taken. Throws `StartError` when data would be lost; then nothing has changed. */
export async function migrate(connection: Connection, catalog: Catalog): Promise<readonly Step[]> {
  const { database } = connection
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(ownTables)
    const steps = pendingSteps(connection, catalog)
    for (const step of steps) {
      for (const statement of statementsOf(step)) database.exec(statement)
      const refilled = [...catalog.resources.values()].find(({ table }) => table === step.table)
      if (step.kind === 'refill' && refilled) await refill(connection, makeTools(catalog, sqliteDialect), refilled)
    }
    database
      .prepare("INSERT INTO bindery_meta VALUES ('model', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
      .run(JSON.stringify(modelOf(catalog)))
    database.exec('COMMIT')
    return steps
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    const columns = brokenKeyOf(error)
    if (columns)
      throw new StartError(
        `${columns.join(' and ')} must be unique from now on, and there are rows that are not; nothing was changed`,
      )
    throw error
  }
}
