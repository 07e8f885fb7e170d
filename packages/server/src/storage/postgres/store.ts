/** The store on PostgreSQL, and on what speaks its protocol: any number of instances, none of which keeps anything of its own. */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Step } from '../model/migration.ts'
import { columnOf, modelOf } from '../model/model.ts'
import { type Executor, makeReader, makeTools } from '../sql/reader.ts'
import { makeTransaction, type Writing } from '../sql/transaction.ts'
import type { Storage } from '../storage.ts'
import { migrate, pendingSteps, watchedOf } from './apply-migration.ts'
import { onConnection, onOwnConnection } from './connect.ts'
import { makeCounters } from './counters.ts'
import { postgresDialect } from './dialect.ts'
import { type Exact, makeExact } from './exact.ts'
import { brokenKeyOf } from './faults.ts'
import { openPools } from './pool.ts'
import { runTransaction } from './run-transaction.ts'
import { startWatch } from './watch.ts'

export type PostgresOptions = {
  readonly url: string
  readonly connectionsMax: number
  readonly prepare: boolean
  /** Where to listen, when `url` leads through a proxy that passes no notifications. */
  readonly listenUrl?: string | undefined
  /** What whoever runs the service should read. */
  readonly report?: ((message: string) => void) | undefined
}

/** Brings the database to today's declarations, or only says how. Throws `StartError`. */
export async function migratePostgres(
  { url }: { url: string },
  catalog: Catalog,
  { dryRun }: { dryRun: boolean },
): Promise<readonly Step[]> {
  return onOwnConnection(url, (client, executor) =>
    dryRun ? pendingSteps(client, catalog) : migrate(client, executor, catalog),
  )
}

/** What PostgreSQL says of a broken key is the name of its index. */
function makeUniqueColumns(catalog: Catalog): Writing['uniqueColumnsOf'] {
  const indexes = modelOf(catalog).tables.flatMap((table) => table.indexes)
  const columnsOf = new Map(indexes.map(({ name, columns }) => [name, columns]))
  return (error, resource) => {
    const name = brokenKeyOf(error)
    return name === undefined ? undefined : (columnsOf.get(name) ?? [columnOf(resource.idField)])
  }
}

/** Ids that are given from outside: whoever counts on waits, and counts on behind them. */
function makeKeepAhead(executor: Executor): NonNullable<Writing['keepAhead']> {
  return async (resource, id) => {
    const table = `"${resource.table}"`
    await executor.run({ sql: `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`, parameters: [] })
    const sequence = 'SELECT pg_get_serial_sequence($2, $3)::regclass AS id'
    const sql = `SELECT setval(s.id, greatest($1::bigint, pg_sequence_last_value(s.id))) FROM (${sequence}) AS s`
    await executor.run({ sql, parameters: [id, table, columnOf(resource.idField)] })
  }
}

/** Migrates, and opens the pools. Throws `StartError`. */
export async function openPostgres(options: PostgresOptions, catalog: Catalog): Promise<Storage> {
  const { url, report = () => undefined } = options
  const tools = makeTools(catalog, postgresDialect)
  let exact: Exact | undefined
  const onFault = () => exact?.forget()
  const pools = openPools({ ...options, onFault })
  await onConnection(pools, options, (client) => migrate(client, pools.executorOn(client), catalog))
  const executor = pools.executorOf(pools.work)
  const urgently = pools.executorOf(pools.urgent)
  exact = makeExact({ executor, urgent: urgently, tools })
  const watch = startWatch(pools, options.listenUrl ?? url, report)
  const watched = watchedOf(catalog)
  const uniqueColumnsOf = makeUniqueColumns(catalog)
  let unwatched = 0

  return {
    ...makeReader(executor, tools),
    ...makeCounters(urgently),
    count: exact.count,
    page: exact.page,
    urgent: makeReader(urgently, tools),
    stamp(resources) {
      if (resources.every((one) => watched.has(one))) return watch.stamp()
      unwatched += 1 // nobody tells of the others
      return -unwatched
    },
    async transaction(work) {
      let touched = new Set<Resource>()
      const result = await runTransaction(pools, onFault, (one) => {
        touched = new Set()
        const writing = { executor: one, touched, uniqueColumnsOf, keepAhead: makeKeepAhead(one) }
        return work(makeTransaction(writing, tools))
      })
      if ([...touched].some((one) => watched.has(one))) watch.wrote()
      return result
    },
    async check() {
      await urgently.first({ sql: 'SELECT 1', parameters: [] })
    },
    async close() {
      await watch.end()
      await pools.end()
    },
  }
}
