/**
 * Migrates a PostgreSQL database to the current declarations. Instances that start together migrate
 * one after another, and the later ones find no steps left. While instances of the version before
 * are connected, a migration takes only steps that they can work with. Later starts take the rest.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { timestampOf } from '../../../base/clock.ts'
import { StartError } from '../../../errors.ts'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import { ownTables } from '../../changes.ts'
import { copyMark, refuseUnfinished } from '../../copy/copy-mark.ts'
import { requirementsMark } from '../../migrate/broken-records.ts'
import { type CurrentSchema, readCurrentSchema, refuseStrangers } from '../../migrate/current-schema.ts'
import { examine, refuse } from '../../migrate/examine.ts'
import { catchUp } from '../../migrate/fill-table.ts'
import { type MigrateOptions, type PendingMigration, planNotes, withSql } from '../../migrate/migrate-options.ts'
import type { MigrationDatabase } from '../../migrate/migration-database.ts'
import { narrowedIn } from '../../migrate/narrowed.ts'
import type { MigrationPlan } from '../../migrate/plan.ts'
import { planSchema } from '../../migrate/plan-schema.ts'
import { runSteps, settle } from '../../migrate/run-steps.ts'
import type { MigrationStep } from '../../migrate/steps.ts'
import type { PresentSchema } from '../../model/drift.ts'
import { columnOf, foldColumnOf, isFolded, modelOf, type SchemaModel } from '../../model/model.ts'
import { readStoredModel, storeModel } from '../../model/stored-model.ts'
import type { SingleConnection } from '../connect/connect.ts'
import { addressOf } from '../connect/libpq-address.ts'
import { ownWork } from '../connect/pool.ts'
import { postgresDialect } from '../dialect.ts'
import { presentOf } from '../inspect/present.ts'
import { metaOf } from '../meta.ts'
import { triggerSql } from '../write/change-log.ts'
import { ownObjects, partIndexOf, partIndexSql, searchIndexOf, statementsOf } from './ddl.ts'
import { areOthersConnected, whileLocked } from './migration-lock.ts'
import { isIndexed, migrationOn } from './migration-steps.ts'

/**
 * For this long after a migration adds columns, each start looks for rows that an older instance
 * wrote without them.
 */
const mendWithinMs = 24 * 60 * 60 * 1000

export async function readModel(client: pg.ClientBase): Promise<SchemaModel | undefined> {
  const text = await metaOf(client).get('model')
  return text === undefined ? undefined : readStoredModel(text, await metaOf(client).get('meanings'))
}

/**
 * Throws `StartError` where no database of Bindery is, which a mistyped address or schema leads to.
 * So commands that only read or change create nothing there.
 */
export async function refuseNothing(
  { client, schema }: SingleConnection,
  { url }: { readonly url: string },
): Promise<void> {
  const meta = metaOf(client)
  if ((await meta.get('model')) !== undefined || (await meta.get(copyMark)) !== undefined) return
  const place = `${addressOf(url)}${schema === undefined ? '' : `, schema ${schema}`}`
  throw new StartError(
    `There is no database of Bindery at ${place}. If this place is new, the first bindery start makes it, or bindery migrate. If there was one, see whether DATABASE_URL is right: bindery doctor`,
  )
}

/** The connection name of instances with these declarations. */
export function instanceName(catalog: Catalog): string {
  const { model, meanings } = storeModel(modelOf(catalog))
  return `${ownWork} ${createHash('sha256').update(model).update(meanings).digest('hex').slice(0, 12)}`
}

async function planOf(
  client: pg.ClientBase,
  catalog: Catalog,
  options: MigrateOptions,
): Promise<MigrationPlan & CurrentSchema & { readonly beside: boolean; readonly present: PresentSchema }> {
  const allowed = new Set(options.allowed)
  const present = await presentOf(client)
  const stands = readCurrentSchema(await readModel(client), { present, catalog, allowed, searchIndexOf })
  const { model: before, lost } = stands
  const direct = planSchema(before, catalog, { beside: false, allowed, lost })
  refuseStrangers(direct.steps, present)
  const isNothing = direct.steps.length + direct.refusals.length + direct.checks.length === 0
  const beside = !options.contract && !isNothing && (await areOthersConnected(client, instanceName(catalog)))
  return { ...stands, present, ...(beside ? planSchema(before, catalog, { beside, allowed, lost }) : direct), beside }
}

/**
 * The steps from the stored model to the current one. Throws `StartError` when a copy into the
 * database has not completed.
 */
export async function modelSteps(client: pg.ClientBase, catalog: Catalog): Promise<readonly MigrationStep[]> {
  refuseUnfinished(await metaOf(client).get(copyMark))
  const { steps, refusals } = planSchema(await readModel(client), catalog, { beside: true, allowed: new Set() })
  refuse(refusals)
  return steps
}

/** The steps of the next start. Throws like `migrate`. */
export async function pendingSteps(
  { client, executor }: SingleConnection,
  catalog: Catalog,
  options: MigrateOptions = {},
): Promise<PendingMigration> {
  refuseUnfinished(await metaOf(client).get(copyMark))
  await client.query('SET statement_timeout = 0')
  const plan = await planOf(client, catalog, options)
  const from = { dialect: postgresDialect, executor }
  await examine(from, plan)
  const { model } = plan
  const known = await metaOf(client).get(requirementsMark)
  return {
    ...withSql(plan, model, statementsOf),
    told: () => planNotes(from, { plan, model, catalog, known }, options),
  }
}

async function setTriggers(client: pg.ClientBase, catalog: Catalog): Promise<void> {
  const { rows } = await client.query(
    `SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE t.tgname = 'bindery_written_past' AND c.relnamespace = quote_ident(current_schema())::regnamespace`,
  )
  const known = new Set(rows.map(({ relname }) => relname as string))
  for (const { table, name } of catalog.resources.values())
    if (!known.has(table)) await client.query(triggerSql(table, name))
}

function partsOf(resource: Resource): string[] {
  const filters = Object.values(resource.list.filters).filter(({ by }) => by === 'contains')
  return filters.map(({ field }) => foldColumnOf(field))
}

/** Whether a created trigram index is gone. Without the extension, none was created. */
async function lacksParts(
  client: pg.ClientBase,
  resources: readonly Resource[],
  present: PresentSchema,
): Promise<boolean> {
  const isLess = resources.some((resource) =>
    partsOf(resource).some((column) => !present.get(resource.table)?.indexes.has(partIndexOf(resource.table, column))),
  )
  return isLess && (await client.query("SELECT FROM pg_extension WHERE extname = 'pg_trgm'")).rows.length > 0
}

/**
 * Creates trigram indexes for the declared filters by part, if this user may create the extension.
 * Without it the filters return the same records, and are slower.
 */
async function indexParts(client: pg.ClientBase, resources: readonly Resource[]): Promise<void> {
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    const { rows } = await client.query(
      "SELECT nspname AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm'",
    )
    for (const resource of resources) {
      for (const column of partsOf(resource)) {
        if (await isIndexed(client, partIndexOf(resource.table, column))) continue
        await client.query(`DROP INDEX IF EXISTS "${partIndexOf(resource.table, column)}"`)
        await client.query(partIndexSql(resource.table, column, rows[0].schema))
      }
    }
  } catch {
    // Without the extension there are no such indexes.
  }
}

/**
 * Refills rows that an older instance wrote without the folded and searched texts, after a
 * migration added those columns.
 */
async function mend(database: MigrationDatabase, catalog: Catalog, resource: Resource): Promise<void> {
  const folded = resource.storedNames.filter((name) => isFolded(resource, name))
  const missing = folded.map((name) => `("${foldColumnOf(name)}" IS NULL AND "${columnOf(name)}" IS NOT NULL)`)
  const searched = resource.list.search.map((name) => `"${columnOf(name)}" <> ''`)
  if (searched.length > 0) missing.push(`(search = '' AND (${searched.join(' OR ')}))`)
  if (missing.length === 0) return
  const step = { kind: 'refill', table: resource.table } as const
  await catchUp(database, { catalog, state: modelOf(catalog), step }, missing.join(' OR '))
}

type Settled = { readonly catalog: Catalog; readonly steps: readonly MigrationStep[] }

/**
 * The work of every start besides the steps: the service's own objects, triggers, and rows that
 * older instances wrote.
 */
async function settleRest(
  database: MigrationDatabase,
  client: pg.ClientBase,
  { catalog, steps }: Settled,
): Promise<void> {
  const meta = metaOf(client)
  const resources = [...catalog.resources.values()]
  const refilled = new Set(steps.flatMap((step) => (step.kind === 'refill' ? [step.table] : [])))
  await setTriggers(client, catalog)
  if (refilled.size > 0) await meta.set('refilled', timestampOf(Date.now()))
  const lastMs = Date.parse((await meta.get('refilled')) ?? '')
  if (Date.now() - lastMs > mendWithinMs || Number.isNaN(lastMs)) return
  for (const resource of resources) if (!refilled.has(resource.table)) await mend(database, catalog, resource)
}

/** `IF NOT EXISTS` alone would need the right to create one. */
async function makeSchema({ client, schema }: SingleConnection): Promise<void> {
  if (schema === undefined) return
  const { rows } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (rows.length === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`)
}

/** A migration has no time limit for statements and locks. */
const unhurried = 'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0'

/**
 * Returns the steps taken. Throws `StartError` when data would be lost, or a copy into the database
 * has not completed; nothing has changed then.
 */
export async function migrate(
  connected: SingleConnection,
  catalog: Catalog,
  options: MigrateOptions = {},
): Promise<readonly MigrationStep[]> {
  const { client, executor } = connected
  const { forCopy = false, report } = options
  const meta = metaOf(client)
  const refuseCopy = async () => forCopy || refuseUnfinished(await meta.get(copyMark))
  await refuseCopy() // before the lock that a running copy holds
  const guard = await connected.another()
  try {
    return await whileLocked(guard, async (check) => {
      await client.query(unhurried)
      await makeSchema(connected)
      await client.query(
        'CREATE TABLE IF NOT EXISTS bindery_meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
      )
      await refuseCopy()
      const plan = await planOf(client, catalog, options)
      const from = { dialect: postgresDialect, executor }
      await examine(from, plan)
      for (const note of await narrowedIn(from, plan)) report?.(note)
      const database = migrationOn(connected, check)
      await database.transaction(async () => {
        const isWhole = ownTables.every((name) => plan.present.has(name))
        if (isWhole && (await meta.get('objects')) === ownObjects) return
        await client.query(ownObjects)
        await meta.set('objects', ownObjects)
      })
      const { steps, later, isLess } = plan
      const taking = { ...options, catalog, state: plan.model ?? { tables: [] }, steps }
      const state = steps.length > 0 ? await runSteps(database, taking) : taking.state
      const resources = [...catalog.resources.values()]
      if (steps.length > 0 || (await lacksParts(client, resources, plan.present))) await indexParts(client, resources)
      await database.transaction(async () => {
        await settle(database, { ...taking, state, beside: plan.beside, isLess })
        await settleRest(database, client, { catalog, steps })
      })
      if (later.length > 0)
        report?.(
          `${later.length} ${later.length === 1 ? 'step waits' : 'steps wait'} until no instance of the version before is connected: a start then takes them, or bindery migrate --contract`,
        )
      return steps
    })
  } finally {
    await guard.end().catch(() => undefined)
  }
}

/**
 * Stores a value in the database unless one is stored already. Returns the stored one, the same for
 * every instance.
 */
export async function keep(client: pg.ClientBase, name: string, value: string): Promise<string> {
  await client.query('INSERT INTO bindery_meta VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [name, value])
  return (await metaOf(client).get(name)) as string
}
