/**
 * Runs migration steps on PostgreSQL: short transactions with short lock timeouts, and indexes
 * built while other sessions write.
 */
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import type { MigrationDatabase } from '../../migrate/migration-database.ts'
import type { MigrationStep } from '../../migrate/steps.ts'
import type { ModelColumn, ModelTable, SchemaModel } from '../../model/model.ts'
import { quote } from '../../sql/ddl-words.ts'
import type { SingleConnection } from '../connect/connect.ts'
import { brokenKeyOf, isBusy } from '../connect/faults.ts'
import { postgresDialect } from '../dialect.ts'
import { metaOf } from '../meta.ts'
import {
  columnTypes,
  indexSql,
  keySql,
  referSql,
  requireSql,
  searchIndexOf,
  searchIndexSql,
  statementsOf,
} from './ddl.ts'
import { inTransaction } from './migration-lock.ts'

/**
 * Sessions queue behind one that waits for a table lock; so a step gives up soon, and tries again.
 */
const lockMsMax = 1_000
const lockTries = 300
const retryMs = 500

/** Whether a complete index of this name exists. An interrupted build leaves an incomplete one. */
export async function isIndexed(client: pg.ClientBase, name: string): Promise<boolean> {
  const sql = 'SELECT i.indisvalid AS whole FROM pg_index i WHERE i.indexrelid = to_regclass($1)'
  return (await client.query(sql, [quote(name)])).rows[0]?.whole === true
}

/** Retries while another session holds a lock that the work needs. */
async function untilFree<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (tries >= lockTries)
        throw new StartError(
          `Another session has held a table for minutes, so the migration could not go on: ${(error as Error).message}. Start again: it goes on where it stopped`,
        )
      await sleep(retryMs)
    }
  }
}

/** A JSON list of `[id, version, …values]` joined with the table: one statement a batch. */
function updateSql(table: ModelTable, columns: readonly ModelColumn[]): string {
  const typeOf = (name: string) => columnTypes[(table.columns.find((one) => one.name === name) as ModelColumn).type]
  const set = columns.map(({ name, type }, i) => `${quote(name)} = (v ->> ${i + 2})::${columnTypes[type]}`).join(', ')
  return `UPDATE ${quote(table.name)} AS t SET ${set} FROM jsonb_array_elements($1::jsonb) AS v
    WHERE t.${quote(table.primaryKey)} = (v ->> 0)::${typeOf(table.primaryKey)} AND t.version = (v ->> 1)::bigint`
}

/** Steps that block no other session, in transactions of their own. */
const apart: readonly MigrationStep['kind'][] = ['create-key', 'create-index', 'create-search', 'require', 'refer']

/** `check` throws when another process may be migrating by now. */
export function migrationOn({ client, executor }: SingleConnection, check: () => Promise<void>): MigrationDatabase {
  async function once<T>(work: () => Promise<T>): Promise<T> {
    await check()
    return inTransaction(client, `BEGIN; SET LOCAL lock_timeout = ${lockMsMax}`, work)
  }
  const transaction = <T>(work: () => Promise<T>) => untilFree(() => once(work))

  /** Waits for all writers of the table, and blocks none. */
  async function makeIndex(name: string, sql: string): Promise<void> {
    await check()
    await untilFree(() => client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quote(name)}`))
    try {
      await client.query(sql)
    } catch (error) {
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quote(name)}`).catch(() => undefined)
      const key = brokenKeyOf(error)
      if (!key) throw error
      throw new StartError(
        `${key} must be unique from now on, and rows came that are not. Start again: they are named then`,
      )
    }
  }

  async function takeApart(step: MigrationStep, table: ModelTable, state: SchemaModel): Promise<void> {
    if (step.kind === 'create-index') await makeIndex(step.index.name, indexSql(table, step.index, 'CONCURRENTLY'))
    else if (step.kind === 'create-search')
      await makeIndex(
        searchIndexOf(table.name, step.tenant),
        searchIndexSql(table.name, { ...step, how: 'CONCURRENTLY' }),
      )
    else if (step.kind === 'create-key') {
      const { index, make, use } = keySql(step)
      await makeIndex(index, make('CONCURRENTLY'))
      await takeGroups([[use]])
    } else if (step.kind === 'require') await takeGroups(requireSql(step.table, step.column))
    else if (step.kind === 'refer') await takeGroups(referSql(step, state))
  }

  async function takeGroups(groups: readonly (readonly string[])[]): Promise<void> {
    for (const group of groups)
      await transaction(async () => {
        for (const sql of group) await client.query(sql)
      })
  }

  return {
    dialect: postgresDialect,
    executor,
    meta: metaOf(client),
    statementsOf,
    async execute(sql) {
      await client.query(sql)
    },
    transaction,
    isApart: ({ kind }) => apart.includes(kind),
    async takeApart(step, state) {
      const name = typeof step.table === 'string' ? step.table : step.table.name
      await client.query('SET lock_timeout = 0')
      await takeApart(step, state.tables.find((table) => table.name === name) as ModelTable, state)
    },
    async lock(table) {
      await client.query(`LOCK TABLE ${quote(table)} IN ACCESS EXCLUSIVE MODE`)
    },
    async update(table, columns, rows) {
      const cells = rows.map(({ id, version, values }) => [id, version, ...values])
      await client.query(updateSql(table, columns), [JSON.stringify(cells)])
    },
    breathe: async () => void (await breathe()),
  }
}
