/**
 * Connection pools: one for the work of requests, and a small one for identifying callers, so that a bad credential is refused at once even
 * while everybody else waits for a lock. Every wait has a limit: for a connection, a lock, a statement, an answer.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { StatementWatch, StorageWatch } from '../../observe/statement-watch.ts'
import type { Asking, CostlyLimits } from '../costly-reads.ts'
import type { Executor } from '../sql/reader.ts'
import type { Statement } from '../sql/statements.ts'
import { makeBoundedReads } from './bounded-reads.ts'
import { typeParsers } from './driver-values.ts'
import { isConnectionFault, isUnprepared, translateFault } from './faults.ts'

/** A request may wait for several of these in turn; together they stay below ten seconds. */
const waits = {
  connectMsMax: 2_000,
  lockMsMax: 1_500,
  statementMsMax: 3_500,
  /** After this the server counts as gone, and the connection is discarded. */
  answerMsMax: 5_000,
  idleInTransactionMsMax: 15_000,
} as const

/** What connections call themselves that serve nobody: migrations and copies. */
export const ownWork = 'bindery'

const urgentConnections = 2
/** Statements that a connection keeps prepared; each costs the server memory on every connection. */
const preparedMax = 300
const usesBeforePrepared = 3

export type Pools = {
  readonly work: pg.Pool
  readonly urgent: pg.Pool
  /** One connection outside the pools, for work that must not share one. */
  connect(url?: string, options?: { answerMsMax: number }): Promise<pg.Client>
  /** Runs each statement on any free connection of this pool. Retries once when a connection broke. */
  executorOf(pool: pg.Pool): Executor
  /** The same for reads that may take long: each waits for its turn, and has a deadline of its own. */
  boundedFor(asking: Asking): Executor
  /** Runs all statements on one connection. */
  executorOn(client: pg.ClientBase): Executor
  end(): Promise<void>
}

export type PoolOptions = {
  readonly url: string
  readonly connectionsMax: number
  /** False behind a proxy that gives every transaction another connection and keeps no prepared statements. */
  readonly prepare: boolean
  /** What the connections call themselves, so that others see which version of the declarations they serve. */
  readonly name?: string | undefined
  /** Bounds for reads that may take long. */
  readonly costly?: CostlyLimits | undefined
  readonly watch?: StorageWatch | undefined
  /** Called when a connection breaks. */
  onFault(error: unknown): void
  /** Receives messages for the operator. */
  readonly report?: ((message: string) => void) | undefined
}

/** Set by a statement instead of start-up parameters, which a proxy may refuse. All connections set the same. */
const settingsOf = (
  name: string,
) => `SET application_name = '${name}'; SET statement_timeout = ${waits.statementMsMax}; SET lock_timeout = ${waits.lockMsMax};
  SET idle_in_transaction_session_timeout = ${waits.idleInTransactionMsMax}; SET datestyle = 'ISO'; SET timezone = 'UTC'`

/**
 * Names for frequent statements. A name derives from the text: behind a proxy another process may have prepared it on the same connection,
 * and then it means the same.
 */
function makeNames() {
  const uses = new LRUCache<string, { count: number; name: string | undefined }>({ max: preparedMax * 10 })
  let given = 0
  return (text: string): string | undefined => {
    let known = uses.get(text)
    if (!known) {
      known = { count: 0, name: undefined }
      uses.set(text, known)
    }
    known.count += 1
    if (known.name === undefined && known.count >= usesBeforePrepared && given < preparedMax) {
      given += 1
      known.name = `bindery_${hash('sha256', text, 'hex').slice(0, 24)}`
    }
    return known.name
  }
}

export type Ask = (client: pg.ClientBase, statement: Statement) => Promise<pg.QueryArrayResult<unknown[]>>

/** Prepares the statements that come often, until a connection turns out to keep none. */
function makeAsk({ prepare, report = () => undefined }: PoolOptions): Ask {
  const names = makeNames()
  let prepares = prepare
  return async (client, { sql, parameters }) => {
    const name = prepares ? names(sql) : undefined
    try {
      return await client.query<unknown[]>({ name, text: sql, values: parameters, rowMode: 'array' })
    } catch (error) {
      if (prepares && isUnprepared(error)) {
        prepares = false
        report(
          'Connections keep no prepared statements: none are used from now on (DATABASE_PREPARE=false says so at once)',
        )
      }
      throw error
    }
  }
}

function watchedAsk(ask: Ask, { isOn, ended }: StatementWatch): Ask {
  return async (client, statement) => {
    if (!isOn()) return ask(client, statement)
    const beganMs = performance.now()
    try {
      return await ask(client, statement)
    } finally {
      ended(statement.sql, beganMs, performance.now())
    }
  }
}

function executorBy(run: (statement: Statement) => Promise<pg.QueryArrayResult<unknown[]>>): Executor {
  return {
    all: async (statement) => (await run(statement)).rows,
    first: async (statement) => (await run(statement)).rows[0],
    run: async (statement) => (await run(statement)).rowCount ?? 0,
  }
}

export function openPools(options: PoolOptions): Pools {
  const { url, connectionsMax, costly, onFault, name = ownWork } = options
  const asks = makeAsk(options)
  const ask = options.watch ? watchedAsk(asks, options.watch.statements) : asks
  const client = {
    connectionString: url,
    keepAlive: true,
    query_timeout: waits.answerMsMax,
    types: typeParsers as never,
  }

  function open(max: number): pg.Pool {
    const pool = new pg.Pool({
      ...client,
      max,
      connectionTimeoutMillis: waits.connectMsMax,
      idleTimeoutMillis: 30_000,
      onConnect: (one) => one.query(settingsOf(name)) as never, // awaited before anybody gets the connection
    })
    pool.on('error', onFault)
    // The pool listens only to idle connections: an error on one in use, or on one that was discarded, would reach nobody.
    pool.on('connect', (one) => one.on('error', onFault))
    return pool
  }

  async function askOnce(pool: pg.Pool, statement: Statement) {
    const one = await pool.connect()
    let broken = false
    try {
      return await ask(one, statement)
    } catch (error) {
      broken = isConnectionFault(error)
      if (broken) onFault(error)
      throw error
    } finally {
      one.release(broken)
    }
  }

  /** Retries once when the connection broke. */
  async function withRetry<T>(once: () => Promise<T>): Promise<T> {
    const sinceMs = performance.now()
    try {
      return await once()
    } catch (error) {
      // An idle connection may have died unnoticed; a statement that merely got no answer is not sent again.
      const again = isUnprepared(error) || (isConnectionFault(error) && performance.now() - sinceMs < 1_000)
      if (!again) throw translateFault(error)
    }
    try {
      return await once()
    } catch (error) {
      throw translateFault(error)
    }
  }

  const work = open(connectionsMax)
  const urgent = open(urgentConnections)
  const bounded = costly && makeBoundedReads({ pool: work, limits: costly, ask, onFault })
  return {
    work,
    urgent,
    async connect(other = url, { answerMsMax } = { answerMsMax: waits.answerMsMax }) {
      const one = new pg.Client({
        ...client,
        connectionString: other,
        query_timeout: answerMsMax,
        connectionTimeoutMillis: waits.connectMsMax,
      })
      one.on('error', onFault)
      await one.connect()
      await one.query(settingsOf(ownWork))
      return one
    },
    executorOf: (pool) => executorBy((statement) => withRetry(() => askOnce(pool, statement))),
    boundedFor: (asking) =>
      executorBy((statement) => withRetry(() => (bounded ? bounded.ask(statement, asking) : askOnce(work, statement)))),
    executorOn: (one) => executorBy((statement) => ask(one, statement)),
    async end() {
      bounded?.close()
      await Promise.all([work.end(), urgent.end()])
    },
  }
}
