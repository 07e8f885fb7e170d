/**
 * A PostgreSQL database as one end of a copy: read in one snapshot, or written in one transaction.
 */
import type pg from 'pg'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { type CopySource, type CopyTarget, sourceOf } from '../copy/copy-tables.ts'
import { copyInto, type DatabaseCopy, refuseOldSource, type TargetDatabase } from '../copy/copy-target.ts'
import { ownRows, tablesOf } from '../copy/own-rows.ts'
import { type ModelTable, modelOf } from '../model/model.ts'
import { withErrors } from '../sql/reader.ts'
import { onOwnConnection, type SingleConnection } from './connect/connect.ts'
import { isConnectionFault } from './connect/faults.ts'
import { addressOf } from './connect/libpq-address.ts'
import type { PostgresSetup } from './connect/setup.ts'
import { postgresDialect } from './dialect.ts'
import { metaOf } from './meta.ts'
import { migrate, modelSteps, readModel } from './migrate/apply-migration.ts'
import { underMigrationLock } from './migrate/migration-lock.ts'

/**
 * A copy has no statement timeout; the lock timeout gives a server time to clean up after an
 * interrupted copy.
 */
const settings = "SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0"

async function connected<T>(setup: PostgresSetup, work: (connected: SingleConnection) => Promise<T>): Promise<T> {
  const faulty = (error: unknown): unknown => {
    if (!isConnectionFault(error)) return error
    return new StartError(
      `The connection to ${addressOf(setup.url)} was lost: ${(error as Error).message}. Run the same copy again: it starts anew, or says that it was complete`,
    )
  }
  try {
    return await onOwnConnection(setup, async ({ client, ...rest }) => {
      await client.query(settings)
      return work({ client, ...rest, executor: withErrors(rest.executor, faulty) })
    })
  } catch (error) {
    throw faulty(error)
  }
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  return (await client.query('SELECT to_regclass($1) IS NOT NULL AS known', [`"${name}"`])).rows[0].known as boolean
}

async function columnsOf(client: pg.Client, table: string): Promise<readonly unknown[]> {
  const sql = 'SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped'
  return (await client.query(sql, [`"${table}"`])).rows.map(({ attname }) => attname)
}

/**
 * Throws `StartError` when there is nothing to copy. The work reads one snapshot of the database,
 * despite concurrent writes.
 */
export async function fromPostgres<T>(
  setup: PostgresSetup,
  catalog: Catalog,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return connected(setup, async ({ client, executor }) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    refuseOldSource(await readModel(client), await modelSteps(client, catalog))
    const end = { dialect: postgresDialect, executor }
    const source = sourceOf({
      ...end,
      tables: await tablesOf({ ...end, catalog, columnsOf: (name) => columnsOf(client, name) }),
      async lastId({ name, primaryKey }) {
        const sequence = 'pg_get_serial_sequence($1, $2)::regclass'
        const sql = `SELECT coalesce(pg_sequence_last_value(${sequence}), 0) AS last`
        return (await client.query(sql, [`"${name}"`, primaryKey])).rows[0].last as number
      },
    })
    return work(source)
  })
}

/**
 * Defers references to rows of the same or a later table, which come after the rows that refer to
 * them. Returns a function that checks them.
 */
async function deferReferences(client: pg.Client, order: readonly ModelTable[]): Promise<() => Promise<void>> {
  const { rows } = await client.query(
    `SELECT c.relname AS table, f.relname AS target, k.conname AS name FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.contype = 'f' AND NOT k.condeferrable AND c.relnamespace = quote_ident(current_schema())::regnamespace`,
  )
  const placeOf = (name: string) => order.findIndex((table) => table.name === name)
  const forward = rows.filter(({ table, target }) => placeOf(table) >= 0 && placeOf(table) <= placeOf(target))
  const alter = async (how: string) => {
    for (const { table, name } of forward)
      await client.query(`ALTER TABLE "${table}" ALTER CONSTRAINT "${name}" ${how}`)
  }
  await alter('DEFERRABLE INITIALLY DEFERRED')
  return async () => {
    await client.query('SET CONSTRAINTS ALL IMMEDIATE')
    await alter('NOT DEFERRABLE')
  }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  try {
    return await underMigrationLock(client, work)
  } catch (error) {
    if ((error as { code?: string }).code === '55P03')
      throw new StartError(
        'Another process is migrating, copying into or using the target; try again when it has ended',
      )
    throw error
  }
}

function targetOn(connected: SingleConnection, catalog: Catalog): TargetDatabase {
  const { client, executor } = connected
  const names = [...modelOf(catalog).tables, ...ownRows].map(({ name }) => name)
  const tables = names.map((name) => `"${name}"`).join(', ')
  const meta = metaOf(client)
  return {
    dialect: postgresDialect,
    executor,
    hasTable: (name) => hasTable(client, name),
    async countBehind({ name, primaryKey }, id) {
      const sequence = 'pg_get_serial_sequence($1, $2)::regclass'
      await client.query(`SELECT setval(${sequence}, $3)`, [`"${name}"`, primaryKey, id])
    },
    readModel: () => readModel(client),
    migrate: () => migrate(connected, catalog, { forCopy: true }),
    setMeta: meta.set,
    removeMeta: meta.remove,
    inTransaction: (work) => inTransaction(client, work),
    async lock() {
      await client.query(`LOCK TABLE ${tables} IN EXCLUSIVE MODE`)
    },
    async withLateReferences(order, work) {
      const lookAtReferences = await deferReferences(client, order)
      const done = await work()
      await lookAtReferences()
      await client.query(`ANALYZE ${tables}`) // so that the first queries are planned well
      return done
    },
  }
}

/** Throws `StartError` when the database is not empty. */
export async function intoPostgres<T>(
  setup: PostgresSetup,
  { catalog, ...copy }: DatabaseCopy,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  return connected(setup, (one) => copyInto(targetOn(one, catalog), copy, work))
}
