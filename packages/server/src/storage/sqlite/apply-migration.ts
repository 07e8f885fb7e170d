/** Migrates a SQLite file to the current declarations in one transaction, or changes nothing. */
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { copyMark, refuseUnfinished, type Step, stepsTo } from '../model/migration.ts'
import { type Model, modelOf } from '../model/model.ts'
import { recallModel, rememberModel } from '../model/remembered.ts'
import { makeTools } from '../sql/reader.ts'
import { refill } from '../sql/refill.ts'
import { changesTableSql } from './change-log.ts'
import { brokenKeyOf, type Connection, translateError } from './connection.ts'
import { statementsOf } from './ddl.ts'
import { sqliteDialect } from './dialect.ts'
import { planTextTables, rowNumberOf, type TextPlan } from './text-tables.ts'

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

/** The steps from the remembered model to the current one. Throws like `pendingSteps`. */
export function modelSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  refuseUnfinished(readMeta(connection, copyMark))
  return stepsTo(readModel(connection), modelOf(catalog))
}

/** The same with a step for each table whose words or parts are indexed anew, beside the steps that make tables. */
function withTexts(steps: readonly Step[], plans: readonly TextPlan[], model: Model): readonly Step[] {
  const made = steps.flatMap((step) => (typeof step.table === 'string' ? [] : [step.table.name]))
  const anew = plans.map(({ resource }) => resource.table).filter((table) => !made.includes(table))
  const tables = model.tables.filter(({ name }) => anew.includes(name))
  return [...steps, ...tables.map((table) => ({ kind: 'create-search', table }) as const)]
}

/** The steps that the next start would take. Throws `StartError` when data would be lost, or a copy into the file has not completed. */
export function pendingSteps(connection: Connection, catalog: Catalog): readonly Step[] {
  return withTexts(modelSteps(connection, catalog), planTextTables(connection, catalog), modelOf(catalog))
}

/** With fewer rows, indexing their texts takes less than a second. */
const rowsReported = 50_000

/** About how many rows were ever made: their highest number, which is found without counting. */
function readMade(connection: Connection, resource: Resource): number {
  const sql = `SELECT max("${rowNumberOf(resource)}") FROM "${resource.table}"`
  return (connection.first({ sql, parameters: [] })?.[0] as number | null) ?? 0
}

type Migrating = {
  /** The caller is a copy into the file. */
  readonly forCopy?: boolean
  /** Receives a line for the operator about work that takes long. */
  readonly report?: ((message: string) => void) | undefined
}

type Taking = Pick<Migrating, 'report'> & { readonly connection: Connection; readonly catalog: Catalog }

async function take(steps: readonly Step[], { connection, catalog, report }: Taking): Promise<void> {
  const tools = makeTools(catalog, sqliteDialect)
  const made = new Set(steps.flatMap((step) => (step.kind === 'create-table' ? [step.table.name] : [])))
  for (const step of steps) {
    if (step.kind === 'create-index' && !made.has(step.table)) report?.(`Making the index ${step.index.name}`)
    for (const statement of statementsOf(step)) connection.database.exec(statement)
    const refilled = [...catalog.resources.values()].find(({ table }) => table === step.table)
    if (step.kind === 'refill' && refilled) await refill({ executor: connection, tools }, refilled)
  }
}

/**
 * Returns the steps taken. Throws `StartError` when data would be lost, or a copy into the file has not completed; nothing has changed
 * then. `forCopy`: the caller is that copy. `report` is told of what may take a while: indexes of tables that have rows.
 */
export async function migrate(
  connection: Connection,
  catalog: Catalog,
  { forCopy = false, report }: Migrating = {},
): Promise<readonly Step[]> {
  const { database } = connection
  if (!forCopy) refuseUnfinished(readMeta(connection, copyMark)) // before the lock that a running copy holds
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec(ownTables)
    if (!forCopy) refuseUnfinished(readMeta(connection, copyMark))
    const model = modelOf(catalog)
    const planned = stepsTo(readModel(connection), model)
    const plans = planTextTables(connection, catalog)
    const steps = withTexts(planned, plans, model)
    for (const statement of plans.flatMap(({ before }) => before)) database.exec(statement)
    await take(planned, { connection, catalog, report })
    for (const { resource, after } of plans) {
      const rows = readMade(connection, resource)
      if (rows > rowsReported)
        report?.(`Indexing the texts of ${rows} ${resource.table} anew, once; this takes a while`)
      for (const statement of after) database.exec(statement)
    }
    // Only when something changed, so that otherwise the version before can still open this file
    if (steps.length > 0) writeMeta(connection, 'model', rememberModel(model))
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
