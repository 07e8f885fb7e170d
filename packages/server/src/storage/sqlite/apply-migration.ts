/** Migrates a SQLite file to the current declarations in one transaction, or changes nothing. */
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { copyMark, refuseUnfinished, type Step, stepsTo } from '../model/migration.ts'
import { type Model, modelOf } from '../model/model.ts'
import { recallModel, rememberModel } from '../model/remembered.ts'
import { makeTools } from '../sql/reader.ts'
import { refill } from '../sql/refill.ts'
import { changesTableSql } from './change-log.ts'
import { brokenKeyOf, type Connection, translateError } from './connection.ts'
import { statementsOf } from './ddl.ts'
import { sqliteDialect } from './dialect.ts'

const ownTables = `
  CREATE TABLE IF NOT EXISTS bindery_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS bindery_counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL, reset_at_ms INTEGER NOT NULL) STRICT;
  ${changesTableSql}
`

export function readMeta({ database }: Connection, name: string): string | undefined {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'bindery_meta'").get()) return undefined
  const row = database.prepare('SELECT value FROM bindery_meta WHERE name = ?').get(name)
  return (row as { value: string } | undefined)?.value
}

export function writeMeta({ database }: Connection, name: string, value: string): void {
  const insert = 'INSERT INTO bindery_meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
  database.prepare(insert).run(name, value)
}

export function readModel(connection: Connection): Model | undefined {
  const text = readMeta(connection, 'model')
  return text === undefined ? undefined : recallModel(text)
}

function plannedSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  return stepsTo(readModel(connection), modelOf(catalog))
}

/** The steps that the next start would take. Throws `StartError` when data would be lost, or a copy into the file has not completed. */
export function pendingSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  refuseUnfinished(readMeta(connection, copyMark))
  return plannedSteps(connection, catalog)
}

/**
 * Returns the steps taken. Throws `StartError` when data would be lost, or a copy into the file has not completed; nothing has changed
 * then. `forCopy`: the caller is that copy. `report` is told of what may take a while: indexes of tables that have rows.
 */
export async function migrate(
  connection: Connection,
  catalog: Catalog,
  { forCopy = false, report }: { forCopy?: boolean; report?: ((message: string) => void) | undefined } = {},
): Promise<readonly Step[]> {
  const { database } = connection
  const tools = makeTools(catalog, sqliteDialect)
  if (!forCopy) refuseUnfinished(readMeta(connection, copyMark)) // before the lock that a running copy holds
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec(ownTables)
    const steps = forCopy ? plannedSteps(connection, catalog) : pendingSteps(connection, catalog)
    const made = new Set(steps.flatMap((step) => (step.kind === 'create-table' ? [step.table.name] : [])))
    for (const step of steps) {
      if (step.kind === 'create-index' && !made.has(step.table)) report?.(`Making the index ${step.index.name}`)
      for (const statement of statementsOf(step)) database.exec(statement)
      const refilled = [...catalog.resources.values()].find(({ table }) => table === step.table)
      if (step.kind === 'refill' && refilled) await refill({ executor: connection, tools }, refilled)
    }
    // Only when something changed, so that otherwise the version before can still open this file
    if (steps.length > 0) writeMeta(connection, 'model', rememberModel(modelOf(catalog)))
    database.exec('COMMIT')
    return steps
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    const columns = brokenKeyOf(error)
    if (columns)
      throw new StartError(
        `${columns.join(' and ')} must be unique from now on, and there are rows that are not; nothing was changed`,
      )
    throw translateError(error)
  }
}
