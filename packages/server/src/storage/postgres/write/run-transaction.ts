/**
 * Runs a transaction on a connection of the pool: READ COMMITTED, with a lock on each row that the
 * work depends on. After a collision, or a connection that breaks before the commit, the work runs
 * again from its beginning. The first try waits briefly for locks and fails on contention; the
 * retries run one after another.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ApiError } from '../../../errors.ts'
import type { StorageMetrics } from '../../../observe/storage-metrics.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import {
  isBusy,
  isCancelled,
  isCollision,
  isConnectionFault,
  isConstraint,
  isLocked,
  isOutdated,
  isUnprepared,
  tooManyChanges,
  translateFault,
} from '../connect/faults.ts'
import { type ConnectionPools, waits } from '../connect/pool.ts'
import { logsItself } from './change-log.ts'
import { lineOf, lineOfAll, type TransactionLines } from './transaction-lines.ts'

/** Errors after which a retry may succeed, and the number of retries. */
const retries = [
  { isIt: isCollision, max: 8 },
  { isIt: isBusy, max: 8 },
  { isIt: isOutdated, max: 1 },
  { isIt: isConnectionFault, max: 1 },
  { isIt: isUnprepared, max: 1 },
  { isIt: isCancelled, max: 1 },
] as const
/**
 * No retry starts after this time; the statements of the last attempt still have their own limits.
 */
const attemptsMsMax = 4_000
/** The same for transactions in a line. */
const inLineMsMax = 6_000

/**
 * PostgreSQL finds a deadlock after a second, and breaks only one of many waiting transactions. A
 * short wait ends all of them.
 */
const firstLockMsMax = 300
const laterLockMsMax = 1_200
/**
 * `bind` and following numbers, in ASCII, with a table's number: the advisory locks of transactions
 * that collided.
 */
const inLine = 0x62696e65

const beginSql = `BEGIN ISOLATION LEVEL READ COMMITTED; ${logsItself}`

/**
 * Of transactions on a queue. Its table is nearly empty when plans are made. It may grow by dead
 * rows while a transaction elsewhere stays open, and a plan that reads the whole table is kept.
 */
export const byIndexesAlone = 'SET LOCAL enable_seqscan = off'

/** `line`: it begins the first transaction of that line. */
function beginOf(line: number | undefined, setting: string): string {
  const [lock, ms] =
    line === undefined ? ['', firstLockMsMax] : [`SELECT pg_advisory_xact_lock(${inLine}, ${line}); `, laterLockMsMax]
  return `${beginSql}; ${setting}${lock}SET LOCAL lock_timeout = ${ms}`
}

/**
 * `unsure`: the connection broke during the commit, so the outcome is unknown. `isOwn`: the work
 * itself threw the error.
 */
type FailedTransaction = {
  readonly error: unknown
  readonly unsure: boolean
  readonly isOwn: boolean
  /** The latest statement. */
  readonly sql?: string
}
type TransactionOutcome<T> = { readonly result: T } | FailedTransaction

/** Runs the work between BEGIN and COMMIT. */
async function attempt<T>(
  pools: ConnectionPools,
  client: pg.PoolClient,
  {
    begin,
    work,
    watch,
  }: { begin: string; work: (executor: Executor) => Promise<T>; watch: StorageMetrics | undefined },
): Promise<TransactionOutcome<T>> {
  let at: 'begin' | 'work' | 'commit' = 'begin'
  let sql = ''
  const { all, first, run } = pools.executorOn(client)
  const note =
    <T>(ask: (statement: Statement) => T) =>
    (statement: Statement) => {
      sql = statement.sql
      return ask(statement)
    }
  const noting: Executor = { all: note(all), first: note(first), run: note(run) }
  try {
    await client.query(begin)
    at = 'work'
    const result = await work(noting)
    at = 'commit'
    const beganMs = performance.now()
    const { command } = await client.query('COMMIT')
    watch?.committed(1, performance.now() - beganMs)
    if (command !== 'COMMIT') {
      at = 'work' // which has hidden an error
      throw new Error(`a statement failed unseen, and the transaction ended with ${command}`)
    }
    client.release()
    return { result }
  } catch (error) {
    const broken = isConnectionFault(error)
    pools.sessions.noteFault(error, client)
    try {
      if (!broken) await client.query('ROLLBACK')
      client.release(broken)
    } catch {
      client.release(true)
    }
    return { error, unsure: broken && at === 'commit', isOwn: at === 'work' || isConstraint(error), sql }
  }
}

/** An unknown error of BEGIN or COMMIT is not the work's own: the transaction stored nothing. */
function refusalOf(error: unknown, isOwn: boolean): unknown {
  const known = translateFault(error)
  if (isOwn || known instanceof ApiError) return known
  const message = 'The database cannot be written, nothing was changed'
  return new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 1 })
}

type TransactionRunDeps = {
  readonly pools: ConnectionPools
  readonly lines: TransactionLines
  readonly watch?: StorageMetrics | undefined
  /** A statement that each transaction begins with. */
  readonly setting?: string
  onFault(error: unknown): void
}

/**
 * Errors after which a retry may succeed. Undefined when a statement used up its timeout: then no
 * other session cancelled it.
 */
function retryOf(error: unknown, tookMs: number): (typeof retries)[number] | undefined {
  if (isCancelled(error) && tookMs >= waits.statementMsMax) return undefined
  return retries.find(({ isIt }) => isIt(error))
}

/** One try, in its line if it has one. */
async function tryOnce<T>(
  { pools, lines, watch, setting }: TransactionRunDeps,
  work: (executor: Executor) => Promise<T>,
  { line, untilMs }: { line: number | undefined; untilMs: number },
): Promise<TransactionOutcome<T>> {
  let leave: Awaited<ReturnType<TransactionLines['enter']>> | undefined
  let refusal: unknown
  try {
    pools.sessions.check()
    if (line !== undefined) leave = await lines.enter(line)
    if (performance.now() > untilMs) throw tooManyChanges()
    const begin = beginOf(line, setting === undefined ? '' : `${setting}; `)
    const outcome = await attempt(pools, await pools.checkout.takeToWrite(pools.work), { begin, work, watch })
    // It was first in its line and still waited: another session has the lock.
    if (line !== undefined && 'error' in outcome && outcome.isOwn && isLocked(outcome.error))
      refusal = translateFault(outcome.error)
    return refusal === undefined ? outcome : { error: refusal, unsure: false, isOwn: true }
  } catch (error) {
    return { error, unsure: false, isOwn: false } // no connection was available
  } finally {
    leave?.(refusal)
  }
}

/** The remaining tries of one transaction. */
function makeTries() {
  const sinceMs = performance.now()
  const left = new Map<(typeof retries)[number], number>(retries.map((retry) => [retry, retry.max]))
  let line: number | undefined
  return {
    untilMs: sinceMs + inLineMsMax,
    line: () => line,
    /** Resolves when the next try may begin; to false when there is none. */
    async next({ error, sql = '' }: FailedTransaction, tookMs: number): Promise<boolean> {
      // Refused with the one before it in the line
      if (error instanceof ApiError && isLocked(error)) return false
      const retry = retryOf(error, tookMs)
      const times = (retry && left.get(retry)) ?? 0
      const attemptsMs = line === undefined ? attemptsMsMax : inLineMsMax
      if (!retry || times === 0 || performance.now() - sinceMs > attemptsMs) return false
      left.set(retry, times - 1)
      if (isBusy(error)) line = line === undefined ? lineOf(sql) : lineOfAll
      else if (retry.isIt === isCollision) await sleep(Math.random() * 10 * 2 ** (retry.max - times))
      return true
    },
  }
}

export async function runTransaction<T>(
  running: TransactionRunDeps,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  const tries = makeTries()
  for (;;) {
    const attemptedMs = performance.now()
    const outcome = await tryOnce(running, work, { line: tries.line(), untilMs: tries.untilMs })
    if ('result' in outcome) return outcome.result
    const { error, unsure, isOwn } = outcome
    if (isConnectionFault(error)) running.onFault(error)
    if (unsure) {
      const message = 'The database went away while this was stored; look before you try again'
      throw new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 1 })
    }
    if (!(await tries.next(outcome, performance.now() - attemptedMs))) throw refusalOf(error, isOwn)
  }
}
