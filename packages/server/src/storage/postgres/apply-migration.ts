/**
 * Migrates a PostgreSQL database to the current declarations in one transaction, or changes nothing. Instances that start together do so
 * one after another, and the later ones find nothing left to do. Migrations only add, so instances of the version before keep running
 * beside the new one.
 */
import type pg from 'pg'
import { timestampOf } from '../../clock.ts'
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { copyMark, refuseUnfinished, type Step, stepsTo } from '../model/migration.ts'
import { columnOf, foldColumnOf, isFolded, type Model, modelOf } from '../model/model.ts'
import { recallModel, rememberModel } from '../model/remembered.ts'
import { makeTools } from '../sql/reader.ts'
import { type Refilling, refill } from '../sql/refill.ts'
import { triggerSql } from './change-log.ts'
import type { Connected } from './connect.ts'
import { ownObjects, partIndexSql, statementsOf } from './ddl.ts'
import { postgresDialect } from './dialect.ts'
import { brokenKeyOf } from './faults.ts'
import { withLateReferences } from './late-references.ts'

/** `bind` in ASCII: the advisory lock of everything that migrates this database or copies into it. */
const migrationLock = 0x62696e64
/** For this long after columns were added, each start looks for rows that an older instance wrote without them. */
const mendWithinMs = 24 * 60 * 60 * 1000

/**
 * Runs the work in one transaction while nobody else migrates or copies, and commits all of it or nothing. `settings` also hold while
 * waiting for the lock.
 */
export async function underMigrationLock<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
  settings?: string,
): Promise<T> {
  await client.query('BEGIN')
  try {
    if (settings !== undefined) await client.query(settings)
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // a broken connection has rolled back already
    throw error
  }
}

type Meta = {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

export function metaOf(client: pg.ClientBase): Meta {
  return {
    async get(name) {
      const known = await client.query("SELECT to_regclass('bindery_meta') IS NOT NULL AS known")
      if (!known.rows[0].known) return undefined
      return (await client.query('SELECT value FROM bindery_meta WHERE name = $1', [name])).rows[0]?.value
    },
    async set(name, value) {
      const insert = 'INSERT INTO bindery_meta VALUES ($1, $2)'
      await client.query(`${insert} ON CONFLICT (name) DO UPDATE SET value = excluded.value`, [name, value])
    },
    async remove(name) {
      await client.query('DELETE FROM bindery_meta WHERE name = $1', [name])
    },
  }
}

export async function readModel(client: pg.ClientBase): Promise<Model | undefined> {
  const text = await metaOf(client).get('model')
  return text === undefined ? undefined : recallModel(text)
}

async function plannedSteps(client: pg.ClientBase, catalog: Catalog): Promise<readonly Step[]> {
  return stepsTo(await readModel(client), modelOf(catalog))
}

/** The steps that the next start would take. Throws `StartError` when data would be lost, or a copy into the database has not completed. */
export async function pendingSteps(client: pg.ClientBase, catalog: Catalog): Promise<readonly Step[]> {
  refuseUnfinished(await metaOf(client).get(copyMark))
  return plannedSteps(client, catalog)
}

function tableNameOf(step: Step): string {
  return typeof step.table === 'string' ? step.table : step.table.name
}

async function setTriggers(client: pg.ClientBase, catalog: Catalog): Promise<void> {
  const { rows } = await client.query(
    `SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE t.tgname = 'bindery_written_past' AND c.relnamespace = current_schema()::regnamespace`,
  )
  const known = new Set(rows.map(({ relname }) => relname as string))
  for (const { table, name } of catalog.resources.values())
    if (!known.has(table)) await client.query(triggerSql(table, name))
}

/**
 * Adds trigram indexes for the declared filters by part, where this user may create the extension. Without it the filters are as right, and
 * slower.
 */
async function indexParts(client: pg.ClientBase, resources: readonly Resource[]): Promise<void> {
  await client.query('SAVEPOINT parts')
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    for (const resource of resources) {
      const filters = Object.values(resource.list.filters).filter(({ by }) => by === 'contains')
      for (const { field } of filters) await client.query(partIndexSql(resource.table, foldColumnOf(field)))
    }
    await client.query('RELEASE SAVEPOINT parts')
  } catch {
    await client.query('ROLLBACK TO SAVEPOINT parts')
  }
}

/** Refills rows that an older instance wrote without the folded and searched texts, after those columns were added. */
async function mend(client: pg.ClientBase, refilling: Refilling, resource: Resource): Promise<void> {
  const folded = resource.storedNames.filter((name) => isFolded(resource, name))
  const missing = folded.map((name) => `("${foldColumnOf(name)}" IS NULL AND "${columnOf(name)}" IS NOT NULL)`)
  const searched = resource.list.search.map((name) => `"${columnOf(name)}" <> ''`)
  if (searched.length > 0) missing.push(`(search = '' AND (${searched.join(' OR ')}))`)
  if (missing.length === 0) return
  const id = columnOf(resource.idField)
  const { rows } = await client.query(`SELECT "${id}" AS id FROM "${resource.table}" WHERE ${missing.join(' OR ')}`)
  if (rows.length > 0)
    await refill(refilling, resource, { kind: 'in', field: resource.idField, values: rows.map((row) => row.id) })
}

async function takeSteps({ client, executor }: Connected, catalog: Catalog, steps: readonly Step[]): Promise<void> {
  const refilling = { executor, tools: makeTools(catalog, postgresDialect) }
  const meta = metaOf(client)
  const model = modelOf(catalog)
  if ((await meta.get('objects')) !== ownObjects) {
    await client.query(ownObjects)
    await meta.set('objects', ownObjects)
  }
  const resources = [...catalog.resources.values()]
  const refilled = new Set<Resource>()
  const late = withLateReferences(steps)
  for (const step of late.steps) {
    const table = model.tables.find(({ name }) => name === tableNameOf(step))
    const nullable = new Set(table?.columns.filter(({ notNull }) => !notNull).map(({ name }) => name))
    for (const statement of statementsOf(step, nullable)) await client.query(statement)
    if (step.kind !== 'refill') continue
    const resource = resources.find((one) => one.table === step.table)
    if (resource) await refill(refilling, resource)
    if (resource) refilled.add(resource)
  }
  await client.query(late.after.join('; '))
  if (steps.length > 0) await indexParts(client, resources)
  await setTriggers(client, catalog)
  if (refilled.size > 0) await meta.set('refilled', timestampOf(Date.now()))
  const lastMs = Date.parse((await meta.get('refilled')) ?? '')
  if (Date.now() - lastMs < mendWithinMs) {
    for (const resource of resources) if (!refilled.has(resource)) await mend(client, refilling, resource)
  }
  // Only when something changed, so that otherwise the version before can still start beside this one
  if (steps.length > 0) await meta.set('model', rememberModel(model))
}

/**
 * Returns the steps taken. Throws `StartError` when data would be lost, or a copy into the database has not completed; nothing has changed
 * then. `forCopy`: the caller is that copy.
 */
export async function migrate(
  connected: Connected,
  catalog: Catalog,
  { forCopy = false }: { forCopy?: boolean } = {},
): Promise<readonly Step[]> {
  const { client } = connected
  if (!forCopy) refuseUnfinished(await metaOf(client).get(copyMark)) // before the lock that a running copy holds
  const unhurried =
    'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'
  const create = 'CREATE TABLE IF NOT EXISTS bindery_meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)'
  const work = async () => {
    await client.query(create)
    const steps = forCopy ? await plannedSteps(client, catalog) : await pendingSteps(client, catalog)
    await takeSteps(connected, catalog, steps)
    return steps
  }
  try {
    return await underMigrationLock(client, work, unhurried)
  } catch (error) {
    const key = brokenKeyOf(error)
    if (key)
      throw new StartError(`${key} must be unique from now on, and there are rows that are not; nothing was changed`)
    throw error
  }
}

/** Keeps a value with the data unless one was kept before, and returns the kept one, the same for every instance. */
export async function keep(client: pg.ClientBase, name: string, value: string): Promise<string> {
  await client.query('INSERT INTO bindery_meta VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [name, value])
  return (await metaOf(client).get(name)) as string
}
