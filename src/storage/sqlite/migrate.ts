/** Brings a SQLite file to today's declarations, in one transaction, or stops and changes nothing. */
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { planMigration, refuseLosses, type Step } from '../migration.ts'
import { rowReader, searchTextOf, toColumns } from '../row.ts'
import { columnOf, type Model, modelOf, searchColumn } from '../schema.ts'
import { makeStatements } from '../statements.ts'
import { type Connection, uniqueColumnsOf } from './connection.ts'
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

/** Makes the folded and searched texts of every row anew. */
function refill(connection: Connection, catalog: Catalog, table: string): void {
  const resource = [...catalog.resources.values()].find((one) => one.table === table)
  if (!resource) return
  const statements = makeStatements(catalog, sqliteDialect)
  const read = rowReader(sqliteDialect, resource)
  const { sql, parameters } = statements.list(resource, {
    where: { kind: 'true' },
    sort: [{ field: resource.idField, descending: false }],
    limit: -1,
  })
  for (const cells of connection.all({ sql, parameters })) {
    const row = read(cells)
    const { columns, values } = toColumns(sqliteDialect, resource, row, row)
    const made = columns.flatMap((column, i) => (column.endsWith('_folded') ? [[column, values[i]] as const] : []))
    if (resource.list.search.length > 0) made.push([searchColumn, searchTextOf(resource, row)])
    if (made.length === 0) return
    const sets = made.map(([column]) => `"${column}" = ?`).join(', ')
    connection.run({
      sql: `UPDATE "${table}" SET ${sets} WHERE "${columnOf(resource.idField)}" = ?`,
      parameters: [...made.map(([, value]) => value), row[resource.idField]],
    })
  }
}

/** What the next start would do, without doing it. Throws `StartError` when data would be lost. */
export function pendingSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  const plan = planMigration(readModel(connection), modelOf(catalog))
  refuseLosses(plan)
  return plan.steps
}

/** Returns the steps that were taken. Throws `StartError` when data would be lost; then nothing has changed. */
export function migrate(connection: Connection, catalog: Catalog): readonly Step[] {
  const { database } = connection
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(ownTables)
    const steps = pendingSteps(connection, catalog)
    for (const step of steps) {
      for (const statement of statementsOf(step)) database.exec(statement)
      if (step.kind === 'refill') refill(connection, catalog, step.table)
    }
    database
      .prepare("INSERT INTO bindery_meta VALUES ('model', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
      .run(JSON.stringify(modelOf(catalog)))
    database.exec('COMMIT')
    return steps
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    const columns = uniqueColumnsOf(error)
    if (columns)
      throw new StartError(
        `${columns.join(' and ')} must be unique from now on, and there are rows that are not; nothing was changed`,
      )
    throw error
  }
}
