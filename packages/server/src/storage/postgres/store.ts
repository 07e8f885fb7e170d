/**
 * The store on PostgreSQL and on databases that speak its protocol. Any number of instances share
 * one database; each caches only data that the change log invalidates.
 */
import type { StorageMetrics } from '../../observe/storage-metrics.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { type ChangeFeed, makeChangeFeed, startSweeping } from '../changes.ts'
import type { CostlyLimits } from '../costly-reads.ts'
import type { OpenOptions } from '../database-kind.ts'
import { makeChangeHistory } from '../derived/change-history.ts'
import { makeConditionWatches } from '../derived/condition-watch.ts'
import type { MigrateOptions, PlannedMigration } from '../migrate/migrate-options.ts'
import type { MigrationStep } from '../migrate/steps.ts'
import { columnOf, modelOf } from '../model/model.ts'
import { makeStoredSchedules, movingSchedules } from '../schedules/schedule-rows.ts'
import { countingIn, makeCounters } from '../sql/counters.ts'
import { makeDoneRequests } from '../sql/done-requests.ts'
import { makeStoredEffects } from '../sql/effect-rows.ts'
import { makeEraseCopies } from '../sql/erase-copies.ts'
import { makeStoredJobs } from '../sql/jobs/job-rows.ts'
import { changesKeptDefault } from '../sql/kept-bounds.ts'
import { keptResources } from '../sql/kept-changes.ts'
import { type Executor, makeReader, makeSqlTools, type SqlTools } from '../sql/reader.ts'
import type { Statement } from '../sql/statements.ts'
import { makeTransaction, type TransactionDriver } from '../sql/transaction.ts'
import type { Storage } from '../storage.ts'
import { walkByKeys } from '../walk.ts'
import { onConnection, onOwnConnection } from './connect/connect.ts'
import { brokenKeyOf, isFullDisk } from './connect/faults.ts'
import { openPools } from './connect/pool.ts'
import type { PostgresSetup } from './connect/setup.ts'
import { postgresDialect } from './dialect.ts'
import { makeFigures } from './inspect/figures.ts'
import { instanceName, migrate, pendingSteps, refuseNothing } from './migrate/apply-migration.ts'
import { inTransaction } from './migrate/migration-lock.ts'
import { makeClientReads } from './read/client-reads.ts'
import { makeExplain, planBy } from './read/explained.ts'
import { makePageReads } from './read/page-reads.ts'
import { type PostgresChangeLog, startChangeLog } from './write/change-log.ts'
import { makeFindRoom } from './write/disk-room.ts'
import { effectDialect, leavingIn } from './write/effects-table.ts'
import { jobsIn } from './write/jobs-table.ts'
import { beginKeeping, drawMark, joinSql, movePlaces, removeForeignLog } from './write/kept-rows.ts'
import { makeLoggedWrites, type OwnedChange } from './write/logged-write.ts'
import { claimsOf, requestsDialect } from './write/requests.ts'
import { byIndexesAlone, runTransaction } from './write/run-transaction.ts'
import { makeTransactionLines } from './write/transaction-lines.ts'

/** `costly` reads run on at most half of the connections. */
type PostgresOptions = PostgresSetup &
  Partial<Pick<OpenOptions, 'changesKept' | 'costly' | 'report' | 'totalsBytesMax' | 'losses' | 'checks' | 'watch'>> & {
    /** Creates nothing where there is no database of Bindery. */
    readonly isThere?: boolean | undefined
  }

/** Migrates the database to the current declarations. Throws `StartError`. */
export async function migratePostgres(
  setup: Pick<PostgresSetup, 'url' | 'reread'>,
  catalog: Catalog,
  options: MigrateOptions,
): Promise<readonly MigrationStep[]> {
  return onOwnConnection(setup, (connected) => migrate(connected, catalog, options))
}

/** The steps that a migration would take. Throws `StartError` where it would. */
export async function planPostgres(
  setup: Pick<PostgresSetup, 'url' | 'reread'>,
  catalog: Catalog,
  options: MigrateOptions,
): Promise<PlannedMigration> {
  return onOwnConnection(setup, async (connected) => {
    const pending = await pendingSteps(connected, catalog, options)
    return { ...pending, ...(await pending.told()) }
  })
}

/** PostgreSQL reports a violated key by the name of its index. */
function makeUniqueColumns(catalog: Catalog): TransactionDriver['uniqueColumnsOf'] {
  const indexes = modelOf(catalog).tables.flatMap((table) => table.indexes)
  const columnsOf = new Map(indexes.map(({ name, columns }) => [name, columns]))
  return (error, resource) => {
    const name = brokenKeyOf(error)
    return name === undefined ? undefined : (columnsOf.get(name) ?? [columnOf(resource.idField)])
  }
}

/**
 * For an insert with an id: makes other writers of the table wait, and moves the sequence past the
 * id.
 */
function makeKeepAhead(executor: Executor): NonNullable<TransactionDriver['keepAhead']> {
  return async (resource, id) => {
    const table = `"${resource.table}"`
    await executor.run({ sql: `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`, parameters: [] })
    const sequence = 'SELECT pg_get_serial_sequence($2, $3)::regclass AS id'
    const sql = `SELECT setval(s.id, greatest($1::bigint, pg_sequence_last_value(s.id))) FROM (${sequence}) AS s`
    await executor.run({ sql, parameters: [id, table, columnOf(resource.idField)] })
  }
}

function ownWritesOf(
  executor: Executor,
  bounds: Parameters<typeof claimsOf>[1],
): Pick<TransactionDriver, 'keepAhead' | 'writeOwn' | 'own'> {
  const writeOwn = async (statement: Statement) => (await executor.first(statement)) as readonly unknown[]
  const lockName = async (name: string, shared = false) => {
    const sql = `SELECT pg_advisory_xact_lock${shared ? '_shared' : ''}(hashtextextended($1, 0))`
    await executor.first({ sql, parameters: [name] })
  }
  const own = {
    ...claimsOf(executor, bounds),
    countUp: countingIn(effectDialect, writeOwn),
    eraseCopies: makeEraseCopies(effectDialect, executor),
    lockName,
  }
  return { keepAhead: makeKeepAhead(executor), writeOwn, own }
}

function watchThis(watch: StorageMetrics | undefined, figures: Parameters<typeof makeFigures>[0]): void {
  watch?.add(makeFigures(figures))
  watch?.planBy(planBy(figures.executor))
}

/** Reads that may take long run on at most half of the connections. */
function boundsOf({ costly, connectionsMax }: PostgresOptions): CostlyLimits | undefined {
  return costly && { ...costly, atOnce: Math.max(1, Math.floor(connectionsMax / 2)) }
}

/** All changes of a transaction have the place of its last one in the kept log. */
async function withOnePlace(one: Executor, written: OwnedChange[], { writing }: PostgresChangeLog): Promise<void> {
  const kept = written.filter(({ place }) => place !== undefined)
  const place = kept.at(-1)?.place
  if (place === undefined || kept.length < 2) return
  await movePlaces(one, place)
  for (const [i, change] of written.entries()) {
    if (change.place === undefined) continue
    written[i] = { ...change, place }
    writing(written[i])
  }
}

const makeRun =
  (running: Parameters<typeof runTransaction>[0]) =>
  <T>(work: (executor: Executor) => Promise<T>): Promise<T> =>
    runTransaction(running, work)

type LogOwnWrite = Parameters<typeof leavingIn>[1]
function leavingTo(one: Executor, write: LogOwnWrite): Pick<TransactionDriver, 'effects' | 'jobs' | 'schedules'> {
  return { effects: leavingIn(one, write), jobs: jobsIn(one, write), schedules: movingSchedules(effectDialect, one) }
}

type OwnParts = {
  readonly executor: Executor
  readonly urgently: Executor
  readonly running: Parameters<typeof runTransaction>[0]
}

/** Rows of the service's own tables: counters, done requests, the effect queue, jobs, schedules. */
function makeOwnRows({ executor, urgently, running }: OwnParts) {
  const transaction = makeRun({ ...running, setting: byIndexesAlone })
  return {
    counters: makeCounters({ dialect: effectDialect, reads: urgently, write: (work) => work(urgently) }),
    requests: makeDoneRequests({ dialect: requestsDialect, reads: executor, write: (work) => work(executor) }),
    effects: makeStoredEffects({ dialect: effectDialect, reads: executor, transaction }),
    jobs: makeStoredJobs({ dialect: effectDialect, reads: executor, transaction }),
    schedules: makeStoredSchedules({ dialect: effectDialect, reads: executor, write: (work) => work(executor) }),
  }
}

/** A full disk gets no mark, and can still be read. */
function unlessFull(error: unknown): void {
  if (!isFullDisk(error)) throw error
}

type TransactionsDeps = {
  readonly catalog: Catalog
  readonly running: Parameters<typeof runTransaction>[0]
  readonly changes: PostgresChangeLog
  readonly feed: ChangeFeed
  readonly tools: SqlTools
  readonly requests: { readonly bounds: Parameters<typeof claimsOf>[1] }
}

function makeTransactions({
  catalog,
  running,
  changes,
  feed,
  tools,
  requests,
}: TransactionsDeps): Storage['transaction'] {
  const uniqueColumnsOf = makeUniqueColumns(catalog)
  const loggedWrites = makeLoggedWrites()
  return async (author, work) => {
    let written: OwnedChange[] = []
    const run = runTransaction(running, async (one) => {
      changes.undone(written)
      written = [] // only the attempt that commits counts
      const write = loggedWrites(one, author, (change) => {
        written.push(change)
        changes.writing(change)
      })
      const own = ownWritesOf(one, requests.bounds)
      const leaving = leavingTo(one, write)
      const driver = { executor: one, watched: feed.watched, write, uniqueColumnsOf, ...leaving, ...own }
      const result = await work(makeTransaction(driver, tools))
      await withOnePlace(one, written, changes)
      return result
    })
    try {
      const result = await run
      changes.committed(written)
      return result
    } catch (error) {
      changes.undone(written)
      throw error
    }
  }
}

/** Migrates the database and opens the store. Throws `StartError`. */
export async function openPostgres(options: PostgresOptions, catalog: Catalog): Promise<Storage> {
  const { report = () => undefined, totalsBytesMax = 0 } = options
  const tools = makeSqlTools(catalog, postgresDialect)
  let log: PostgresChangeLog | undefined
  const onFault = () => log?.forget()
  const costly = boundsOf(options)
  const isKept = keptResources(catalog).length > 0
  const begun = { name: instanceName(catalog), joinSql: isKept ? joinSql : undefined }
  const pools = openPools({ ...options, costly, onFault, ...begun })
  await onConnection(pools, { ...options, toServe: true }, async (connected) => {
    if (options.isThere) await refuseNothing(connected, options)
    await migrate(connected, catalog, { report, losses: options.losses, checks: options.checks })
    await removeForeignLog(connected.executor)
    if (isKept)
      await inTransaction(connected.client, 'BEGIN', () => drawMark(connected.executor, catalog)).catch(unlessFull)
  })
  const executor = pools.executorOf(pools.work)
  const urgently = pools.executorOf(pools.urgent) // never behind requests that wait for a lock
  const looking = pools.executorOf(pools.urgent, { always: true })
  const feed = makeChangeFeed()
  const running = { pools, lines: makeTransactionLines(), onFault, watch: options.watch }
  const sweeping = { transaction: makeRun(running), bounds: options.changesKept ?? changesKeptDefault }
  const looks = { executor: looking, saw: pools.sessions.saw, catalog, feed, report }
  const changes = await startChangeLog({ ...looks, ...sweeping })
  log = changes
  await beginKeeping(urgently, catalog)
  watchThis(options.watch, { pools, executor: urgently, lagMs: changes.lagMs })
  const watches = makeConditionWatches(catalog, makeChangeHistory(feed, catalog))
  const { counters, requests, ...left } = makeOwnRows({ executor, urgently, running })
  const findRoom = makeFindRoom(pools)
  const sweeper = startSweeping(changes.sweep, requests.sweep)
  const transaction = makeTransactions({ catalog, running, changes, feed, tools, requests })

  const pages = makePageReads({ executor, changes, tools, watches, totalsBytesMax })
  const asked = costly && makeClientReads({ catalog, pools, executor, urgently, pages, tools })
  const reads = makeReader(executor, tools)

  const storage: Storage = {
    ...reads,
    ...counters,
    findRequest: requests.find,
    count: (resource, where) => pages.count(resource, where),
    knownTotal: pages.knownTotal,
    page: (resource, request) => pages.page(resource, request),
    walk: (resource, request) => walkByKeys(reads, resource, request),
    explain: makeExplain(executor, tools),
    by: (readClient) => (asked ? { ...storage, ...asked(readClient) } : storage),
    urgent: makeReader(urgently, tools),
    changes,
    ...left,
    watches,
    transaction,
    async check() {
      await urgently.first({ sql: 'SELECT 1', parameters: [] })
      await findRoom()
      return pools.sessions.readiness()
    },
    async close() {
      sweeper.stop()
      await changes.stop()
      await pools.end()
    },
  }
  return storage
}
