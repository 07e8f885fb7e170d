/**
 * The embedded store: two connections to one SQLite file. One reads in short snapshots of committed
 * data. The other writes, one transaction at a time, so that concurrent requests cannot mix their
 * steps.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all as allOf } from '../../resource/condition.ts'
import { makeChangeFeed, startSweeping } from '../changes.ts'
import { makeChangeHistory } from '../derived/change-history.ts'
import { makeConditionWatches } from '../derived/condition-watch.ts'
import type { MigrateOptions, PlannedMigration } from '../migrate/migrate-options.ts'
import type { MigrationStep } from '../migrate/steps.ts'
import { makeStoredSchedules } from '../schedules/schedule-rows.ts'
import { makeCosts } from '../sql/costs.ts'
import { makeCounters } from '../sql/counters.ts'
import { makeDoneRequests } from '../sql/done-requests.ts'
import { makeStoredEffects } from '../sql/effect-rows.ts'
import { makeStoredJobs } from '../sql/jobs/job-rows.ts'
import { type Executor, makeReader, makeSqlTools, type SqlTools } from '../sql/reader.ts'
import type { Statement } from '../sql/statements.ts'
import type { Reader, Storage } from '../storage.ts'
import { openConnection, rethrow, type SqliteConnection, startErrorOf } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { type FileIdentityCheck, watchFileIdentity } from './file/file-identity.ts'
import { readLogSalts } from './file/log-stamp.ts'
import { type CorruptionMonitor, type NoteCorruption, watchCorruption } from './inspect/corruption.ts'
import { migrate, pendingSteps } from './migrate/apply-migration.ts'
import { openBoth, type SqliteOptions, type StoreOpening } from './open-store.ts'
import { makeRangeSizes } from './rank-index/range-size.ts'
import { makeRankIndexes } from './rank-index/rank-indexes.ts'
import { makeScanThreads, scanHere } from './rank-index/scan-threads.ts'
import { startWarmUp } from './rank-index/warm-up.ts'
import { makeClientReads } from './read/client-reads.ts'
import { makeCounts } from './read/counts.ts'
import { makeEachLists } from './read/each-lists.ts'
import { makeExplain } from './read/explained.ts'
import { makeListReads } from './read/list-reads.ts'
import { makeReadThreads } from './read/read-threads.ts'
import { makeSnapshot, type Snapshot } from './read/snapshot.ts'
import { makeStreamScheduler } from './read/stream-scheduler.ts'
import { makeTableSizes } from './read/table-sizes.ts'
import { findPartBy } from './texts/text-match.ts'
import { makeTextSizes } from './texts/text-sizes.ts'
import { makeTrigramSizes } from './texts/trigram-sizes.ts'
import { executorOf } from './write/attempt-executor.ts'
import { makeChangeLog, type SqliteChangeLog } from './write/change-log.ts'
import { effectDialect } from './write/effects-table.ts'
import { requestsDialect } from './write/requests.ts'
import { makeSqliteWriter } from './write/sqlite-writer.ts'
import { makeTransactions } from './write/transactions.ts'
import type { WriteQueue } from './write/write-queue.ts'

/** Each read starts or joins the current snapshot. */
function inSnapshot(reader: SqliteConnection, { begin }: Snapshot): SqliteConnection {
  return {
    ...reader,
    all(statement) {
      begin()
      return reader.all(statement)
    },
    first(statement) {
      begin()
      return reader.first(statement)
    },
  }
}

/** Reports a row that cannot be parsed like a page that cannot be read. */
function withNoted(tools: SqlTools, catalog: Catalog, note: CorruptionMonitor['noteValue']): SqlTools {
  const readers = new Map(
    [...catalog.resources.values()].map((resource) => {
      const read = tools.readerOf(resource)
      const at = resource.storedNames.indexOf(resource.idField)
      const noting: typeof read = (cells) => {
        try {
          return read(cells)
        } catch (error) {
          throw note(error, `${resource.table}, ${String(cells[at])}`)
        }
      }
      return [resource.name, noting] as const
    }),
  )
  return { ...tools, readerOf: ({ name }) => readers.get(name) as ReturnType<SqlTools['readerOf']> }
}

/** Rows of the service's own tables: counters, done requests, the effect queue, jobs, schedules. */
function makeOwnRows(writer: SqliteConnection, { write }: WriteQueue, reads: Executor) {
  const byWriter = <T>(work: (executor: Executor) => Promise<T>): Promise<T> =>
    write((attempt) => {
      attempt.written = true // also a statement with RETURNING
      return work(executorOf(writer, attempt))
    })
  return {
    counters: makeCounters({ dialect: effectDialect, reads: writer, write: byWriter }),
    requests: makeDoneRequests({ dialect: requestsDialect, reads, write: byWriter }),
    effects: makeStoredEffects({ dialect: effectDialect, reads, transaction: byWriter }),
    jobs: makeStoredJobs({ dialect: effectDialect, reads, transaction: byWriter }),
    schedules: makeStoredSchedules({ dialect: effectDialect, reads, write: byWriter }),
  }
}

type CheckedStore = {
  readonly writer: SqliteConnection
  readonly queue: WriteQueue
  readonly reads: Reader
  readonly catalog: Catalog
  readonly corruption: CorruptionMonitor
  readonly identityCheck: FileIdentityCheck
}

/** How often a check writes, while writes are known to succeed. */
const tryEveryMs = 5_000
/** SQLite counts this as a change, which the log of changes notes, and stores nothing for it. */
const sameModelSql = "UPDATE bindery_meta SET value = value WHERE name = 'model'"

function makeCheck({ writer, queue, reads, catalog, corruption, identityCheck }: CheckedStore): Storage['check'] {
  /** Writes a value that is there already: it changes nothing, and takes the path of any write. */
  async function tryWriting(): Promise<void> {
    await queue.write(async () =>
      writer.guard(() => {
        const { user_version: version } = writer.database.prepare('PRAGMA user_version').get() as Record<string, number>
        writer.database.exec(`PRAGMA user_version = ${version}; ${sameModelSql}`)
      }),
    )
  }
  let triedMs = performance.now()
  /** Without writes, no other code would notice that writing fails. */
  const isDue = () => corruption.isRefusing() || performance.now() - triedMs > tryEveryMs

  return async () => {
    identityCheck.check()
    if (corruption.isFailing())
      await queue.outside(async () => {
        writer.database.exec('PRAGMA shrink_memory') // which may have pages that could not be read
        corruption.check()
      })
    if (isDue()) {
      triedMs = performance.now()
      await tryWriting().catch(() => undefined) // the operator and each write get the error
    }
    await reads.find([...catalog.resources.values()][0] as Resource, allOf())
    return corruption.isRefusing() ? 'read-only' : 'ok'
  }
}

const alone: SqliteOptions = { heldMs: 0 }

/** Opens the file and migrates it to the current declarations. Throws `StartError`. */
export async function openSqlite(path: string, catalog: Catalog, options: SqliteOptions = alone): Promise<Storage> {
  const { heldMs, report = () => undefined, totalsBytesMax = 0, costly, watch, checkpoints = true } = options
  const corruption = watchCorruption(path, report)
  let note: NoteCorruption = (error) => error // during a start the error itself gives the reason
  const opening: StoreOpening = { ...options, report, note: (error, again) => note(error, again) }
  const { file, writer, reader, close } = await openBoth(path, catalog, opening)
  note = corruption.note
  const identityCheck = watchFileIdentity(path, report)
  const dialect = { ...sqliteDialect, findPart: findPartBy(makeTrigramSizes(reader)) }
  const tools = withNoted(makeSqlTools(catalog, dialect), catalog, corruption.noteValue)
  const snapshot = makeSnapshot(reader, writer, heldMs)
  const inShared = inSnapshot(reader, snapshot)
  const reads = makeReader(inShared, tools)
  const feed = makeChangeFeed()
  const isShared = heldMs === 0
  const around = { corruption, identityCheck, isShared, checkpoints, watch }
  const { queue, settled, ...writing } = makeSqliteWriter({ file, writer, snapshot, log: () => log, ...around })
  const salts = readLogSalts(path)
  const logged = { writer, queue, snapshot, catalog, feed, salts, isShared, bounds: options.changesKept }
  const log: SqliteChangeLog = makeChangeLog({ ...logged, reads: inShared })
  const watches = makeConditionWatches(catalog, makeChangeHistory(feed, catalog))
  const { counters, requests, ...left } = makeOwnRows(writer, queue, inShared)
  const sweeper = startSweeping(log.sweep, requests.sweep)
  const present = <T>(work: () => T): T =>
    snapshot.within(() => {
      log.catchUp()
      return work()
    })
  const tables = makeTableSizes({ reader, snapshot, catalog })
  const fail = (error: unknown, statement: Statement) => reader.guard(() => rethrow(error), statement)
  const scanning = costly && makeScanThreads({ file, limits: costly, fail, settled })
  const scan = scanning?.scan ?? scanHere({ reader, present, log })
  const rankIndexes = makeRankIndexes({ tools, present, scan, lastSeen: log.lastSeen, ...tables })
  log.follow(rankIndexes)
  // The writes of other processes on the same file must name the columns of the rank indexes.
  if (costly && isShared)
    for (const resource of catalog.resources.values()) log.watch(resource, tables.fieldsOf(resource))
  const warming = costly && startWarmUp(rankIndexes, tables, catalog)
  const sizes = makeRangeSizes({ reader, tools, rankIndexes, present })
  const texts = makeTextSizes({ reader, tools })
  const reading = { reader, tools, costs: makeCosts(catalog), rankIndexes, sizes, tables, texts, present }
  const lists = { ...makeListReads(reading), listEach: makeEachLists(reading) }
  const counts = makeCounts({ ...reading, log })
  const threads = costly && makeReadThreads({ file, limits: costly, fail, settled, watch: watch?.statements })
  const derived = { log, watches, totalsBytesMax, pace: makeStreamScheduler() }
  const asked = makeClientReads({ ...reading, ...derived, reader: inShared, counts, lists, threads })

  const storage: Storage = {
    ...reads,
    ...counters,
    findRequest: requests.find,
    urgent: reads,
    changes: log,
    ...left,
    watches,
    ...asked.by(undefined),
    knownTotal: asked.knownTotal,
    explain: makeExplain({ reader: inShared, tools, lists, counts, tables }),
    by: (readClient) => (threads ? { ...storage, ...asked.by(readClient) } : storage),
    transaction: makeTransactions({ writer, queue, log, catalog, tools, feed, requests, isShared }),
    check: makeCheck({ writer, queue, reads, catalog, corruption, identityCheck }),
    async close() {
      identityCheck.stop()
      sweeper.stop()
      warming?.stop()
      await Promise.all([threads?.close(), scanning?.close()])
      await queue.outside(async () => undefined)
      await writing.close()
      snapshot.end()
      salts.close()
      close()
    },
  }
  return storage
}

/** Migrates the file to the current declarations. Throws `StartError`. */
export async function migrateSqlite(
  path: string,
  catalog: Catalog,
  { checkpoints = true, ...options }: MigrateOptions & { checkpoints?: boolean },
): Promise<readonly MigrationStep[]> {
  return onFile(path, { readOnly: false, checkpoints, make: true, stamps: true }, (connection) =>
    migrate(connection, catalog, options),
  )
}

/** The steps that a migration would take. Throws `StartError` where it would. */
export async function planSqlite(path: string, catalog: Catalog, options: MigrateOptions): Promise<PlannedMigration> {
  return onFile(path, { readOnly: true }, async (connection) => {
    const pending = await pendingSteps(connection, catalog, options)
    return { ...pending, ...(await pending.told()) }
  })
}

async function onFile<T>(
  path: string,
  options: Parameters<typeof openConnection>[1],
  work: (connection: SqliteConnection) => Promise<T>,
): Promise<T> {
  const connection = openConnection(path, options)
  try {
    return await work(connection)
  } catch (error) {
    throw startErrorOf(path, error)
  } finally {
    connection.database.close()
  }
}
