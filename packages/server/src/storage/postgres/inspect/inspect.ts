/**
 * Inspects a PostgreSQL database while instances serve it, without changing it. It uses one
 * connection, a read-only transaction, and a timeout for each lock.
 */

import type pg from 'pg'
import type { Catalog } from '../../../resource/catalog.ts'
import { changesTable } from '../../changes.ts'
import { copyMark } from '../../copy/copy-mark.ts'
import type { InspectOptions } from '../../database-kind.ts'
import type { Findings } from '../../finding.ts'
import { inspectEffects, readEffectTroubles } from '../../inspect-effects.ts'
import { inspectRecords, wholeTables } from '../../inspect-records.ts'
import { inspectSchema } from '../../inspect-schema.ts'
import type { ModelTable, SchemaModel } from '../../model/model.ts'
import { inspectSchedules } from '../../schedules/inspect-schedules.ts'
import { listSchedules } from '../../schedules/schedule-rows.ts'
import { schedulesTable } from '../../schedules/stored-schedules.ts'
import { quote } from '../../sql/ddl-words.ts'
import { makeReader, makeSqlTools } from '../../sql/reader.ts'
import { effectsTable } from '../../stored-effects.ts'
import { inspectWebhooks } from '../../webhooks/inspect-webhooks.ts'
import { onOwnConnection } from '../connect/connect.ts'
import { addressOf } from '../connect/libpq-address.ts'
import { openPools } from '../connect/pool.ts'
import type { PostgresSetup } from '../connect/setup.ts'
import { postgresDialect } from '../dialect.ts'
import { metaOf } from '../meta.ts'
import { pendingSteps, readModel } from '../migrate/apply-migration.ts'
import { statementsOf } from '../migrate/ddl.ts'
import { executorOn } from './client-executor.ts'
import { inspectServer, inspectSessions } from './inspect-server.ts'
import { inspectIntegrity, inspectTriggers } from './inspect-tables.ts'
import { presentOf } from './present.ts'

async function open(setup: PostgresSetup): Promise<pg.Client> {
  const client = await openPools({ ...setup, connectionsMax: 1, prepare: false, onFault: () => undefined }).connect({
    answerMsMax: 0,
  })
  await client.query('SET lock_timeout = 2000; SET statement_timeout = 0')
  return client
}

async function inspectInside(findings: Findings, { client, setup, catalog, nowMs, notes }: InspectRun): Promise<void> {
  const run = (sql: string) => `psql "$DATABASE_URL" -c '${sql.replaceAll("'", "'\\''")}'`
  const present = await presentOf(client)
  let model: SchemaModel | undefined
  await findings.part('schema', 'all tables', async () => {
    const mark = await metaOf(client).get(copyMark)
    const found = new Map<string, string | undefined>()
    for (const name of notes?.names ?? []) found.set(name, await metaOf(client).get(name))
    if (notes) notes.found = found
    const remembered = await readModel(client)
    const pending = async () => (await onOwnConnection(setup, (one) => pendingSteps(one, catalog))).steps
    model = await inspectSchema(findings, { catalog, mark, remembered, present, sqlOf: statementsOf, run, pending })
  })
  if (!model) return
  if (present.has(effectsTable))
    await findings.part('effects', effectsTable, async () =>
      inspectEffects(findings, { found: await readEffectTroubles(executorOn(client), nowMs), catalog }),
    )
  if (present.has(schedulesTable))
    await findings.part('schedules', schedulesTable, async () =>
      inspectSchedules(findings, { found: await listSchedules(executorOn(client)), catalog, nowMs }),
    )
  const reader = makeReader(executorOn(client), makeSqlTools(catalog, postgresDialect))
  const whole = wholeTables(model, present)
  await findings.part('webhooks', 'all tables', () => inspectWebhooks(findings, { reader, catalog, nowMs, whole }))
  await findings.part('triggers', 'all tables', () => inspectTriggers(findings, client, catalog))
  const number = async (sql: string, ...values: unknown[]) =>
    Number((await client.query<unknown[]>({ text: sql, values, rowMode: 'array' })).rows[0]?.[0] ?? 0)
  const sequence = ({ name, primaryKey }: ModelTable) => `pg_get_serial_sequence('${quote(name)}', '${primaryKey}')`
  await inspectRecords(findings, {
    executor: executorOn(client),
    catalog,
    tables: whole,
    hasLog: present.has(changesTable),
    parameter: '$1',
    nowMs,
    rowsOf: (table) => number('SELECT reltuples FROM pg_class WHERE oid = $1::regclass', quote(table)),
    run,
    counter: {
      last: (table) => number(`SELECT pg_sequence_last_value(${sequence(table)}::regclass)`),
      set: (table, id) => `SELECT setval(${sequence(table)}, ${id})`,
    },
  })
}

type InspectRun = {
  readonly client: pg.Client
  readonly setup: PostgresSetup
  readonly catalog: Catalog
  readonly nowMs: number
  readonly notes: InspectOptions['notes']
}

/** Runs each part in a savepoint: a failed part leaves the transaction usable. */
function inOneTransaction(findings: Findings, client: pg.Client): Findings {
  return {
    ...findings,
    part: (check, where, work) =>
      findings.part(check, where, async () => {
        await client.query('SAVEPOINT part')
        try {
          await work()
        } catch (error) {
          await client.query('ROLLBACK TO part')
          throw error
        }
      }),
  }
}

export async function inspectPostgres(
  outside: Findings,
  setup: PostgresSetup,
  { catalog, deep, nowMs, notes }: InspectOptions,
): Promise<void> {
  const where = addressOf(setup.url)
  const { about } = outside
  let client: pg.Client
  try {
    client = await open(setup)
  } catch (error) {
    const what = `cannot be reached: ${(error as Error).message}`
    about('connection', where).bad(
      what,
      `See whether PostgreSQL runs and takes connections from here: pg_isready -d ${where}; and whether DATABASE_URL is right`,
    )
    return
  }
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const findings = inOneTransaction(outside, client)
    await findings.part('connection', where, async () => {
      const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')
      const apart = Number(rows[0].ms) - nowMs
      about('connection', where).ok('is there')
      if (Math.abs(apart) > 5_000)
        about('clock', 'this machine').bad(
          `it is ${Math.round(Math.abs(apart) / 1000)} seconds ${apart > 0 ? 'behind' : 'ahead of'} PostgreSQL's`,
          'Set it right: timedatectl set-ntp true',
        )
    })
    await findings.part('versions', where, () => inspectServer(findings, client, where))
    await findings.part('locks', where, () => inspectSessions(findings, client, where))
    await findings.part('integrity', where, () => inspectIntegrity(findings, client, { where, deep }))
    if (catalog)
      await findings.part('schema', where, () => inspectInside(findings, { client, setup, catalog, nowMs, notes }))
  } finally {
    await client.end().catch(() => undefined)
  }
}
