/** A PostgreSQL database as one end of a copy: read in one snapshot, or written in one transaction. */
import type pg from 'pg'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { addressOf } from '../address.ts'
import type { CopySource, CopyTarget } from '../copy.ts'
import { type Emptiness, occupationOf, refuseOccupied, refuseOldSource } from '../copy-target.ts'
import { copyMark } from '../migration.ts'
import type { Executor } from '../reader.ts'
import { type Model, modelOf } from '../schema.ts'
import { onConnection } from './connect.ts'
import { postgresDialect } from './dialect.ts'
import { isConnectionFault } from './faults.ts'
import { metaOf, migrate, migrationLock, pendingSteps, readModel } from './migrate.ts'
import { openPools } from './pool.ts'

/** A copy may take its time; a server that is just letting go of an interrupted one is waited for. */
const settings = "SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0"

type Connected = { readonly client: pg.Client; readonly executor: Executor }

async function connected<T>(url: string, work: (connected: Connected) => Promise<T>): Promise<T> {
  const options = { url, connectionsMax: 1, prepare: false, onFault: () => undefined }
  const pools = openPools(options)
  const faulty = (error: unknown): unknown => {
    if (!isConnectionFault(error)) return error
    return new StartError(
      `The connection to ${addressOf({ url })} was lost: ${(error as Error).message}. Run the same copy again: it starts anew, or says that it was complete`,
    )
  }
  const throwFaulty = (error: unknown) => Promise.reject(faulty(error))
  return onConnection(pools, options, async (client) => {
    const plain = pools.executorOn(client)
    const executor: Executor = {
      all: async (statement) => Promise.resolve(plain.all(statement)).catch(throwFaulty),
      first: async (statement) => Promise.resolve(plain.first(statement)).catch(throwFaulty),
      run: async (statement) => Promise.resolve(plain.run(statement)).catch(throwFaulty),
    }
    await client.query(settings)
    return work({ client, executor })
  }).catch(throwFaulty)
}

/** Throws `StartError` when there is nothing to copy. The work sees the database as it is now, whatever others write meanwhile. */
export async function fromPostgres<T>(
  url: string,
  catalog: Catalog,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return connected(url, async ({ client, executor }) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    refuseOldSource(await readModel(client), await pendingSteps(client, catalog))
    return work({
      dialect: postgresDialect,
      executor,
      async lastId({ name, primaryKey }) {
        const sequence = 'pg_get_serial_sequence($1, $2)::regclass'
        const sql = `SELECT coalesce(pg_sequence_last_value(${sequence}), 0) AS last`
        return (await client.query(sql, [`"${name}"`, primaryKey])).rows[0].last as number
      },
    })
  })
}

function targetOn({ client, executor }: Connected): CopyTarget & Emptiness {
  return {
    dialect: postgresDialect,
    executor,
    async hasTable(name) {
      return (await client.query('SELECT to_regclass($1) IS NOT NULL AS known', [`"${name}"`])).rows[0].known as boolean
    },
    async countBehind({ name, primaryKey }, id) {
      const sequence = 'pg_get_serial_sequence($1, $2)::regclass'
      await client.query(`SELECT setval(${sequence}, $3)`, [`"${name}"`, primaryKey, id])
    },
  }
}

/** Rows that refer to rows of their own table, or of a later one, may come before these: such references are looked at in the end. */
async function deferReferences(client: pg.Client, { tables }: Model): Promise<() => Promise<void>> {
  const { rows } = await client.query(
    `SELECT c.relname AS table, f.relname AS target, k.conname AS name FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`,
  )
  const placeOf = (name: string) => tables.findIndex((table) => table.name === name)
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
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // a broken connection has rolled back already
    if ((error as { code?: string }).code === '55P03')
      throw new StartError(
        'Somebody else is migrating, copying into or using the target; try again when they have ended',
      )
    throw error
  }
}

/** Throws `StartError` when it has anything in it. It keeps all of the work or nothing, and the mark until the work is kept. */
export async function intoPostgres<T>(
  { url, mark }: { url: string; mark: string },
  catalog: Catalog,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const model = modelOf(catalog)
  const tables = model.tables.map(({ name }) => `"${name}"`).join(', ')
  return connected(url, async (connection) => {
    const { client, executor } = connection
    const target = targetOn(connection)
    const meta = metaOf(client)
    const occupation = async () => occupationOf(target, await readModel(client), model)
    refuseOccupied(await occupation())
    await migrate(client, executor, catalog, { forCopy: true })
    await inTransaction(client, async () => {
      refuseOccupied(await occupation())
      await meta.set(copyMark, mark)
    })
    let late: string | undefined
    const copied = inTransaction(client, async () => {
      await client.query(`LOCK TABLE ${tables} IN EXCLUSIVE MODE`)
      late = await occupation()
      refuseOccupied(late)
      const lookAtReferences = await deferReferences(client, model)
      const done = await work(target)
      await lookAtReferences()
      await meta.remove(copyMark)
      await client.query(`ANALYZE ${tables}`)
      return done
    })
    return copied.catch(async (error: unknown) => {
      if (late !== undefined) await meta.remove(copyMark) // a server that had already begun wrote to it: the database is its
      throw error
    })
  })
}
