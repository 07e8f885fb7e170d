/**
 * The two connection pools. One runs the work of requests. A small one identifies callers, so that
 * a bad credential is refused at once even while all other requests wait for a lock. Each wait has
 * a limit: for a connection, a lock, a statement, a response.
 */
import { hash } from 'node:crypto'
import pg from 'pg'
import { boundedCache } from '../../../base/bounded-cache.ts'
import type { StatementListener, StorageMetrics } from '../../../observe/storage-metrics.ts'
import type { CostlyLimits, CostlyRequest } from '../../costly-reads.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { makeBoundedReads } from '../read/bounded-reads.ts'
import { type ConnectionCheckout, makeCheckout } from './checkout.ts'
import { isCancelled, isConnectionFault, isUnprepared, translateFault } from './faults.ts'
import { makeServerHosts } from './server-hosts.ts'
import { makeServerSessions, type ServerSessions, settingsOf } from './server-sessions.ts'
import type { PostgresSetup } from './setup.ts'

/** A request may wait for several of these in turn; together they stay below ten seconds. */
export const waits = {
  lockMsMax: 1_500,
  statementMsMax: 3_500,
  /**
   * After this time without a response the server counts as lost, and the pool discards the
   * connection.
   */
  answerMsMax: 5_000,
  idleInTransactionMsMax: 15_000,
} as const

/** The name of connections that serve no requests: migrations and copies. */
export const ownWork = 'bindery'

const urgentConnections = 2
/**
 * The limit of prepared statements on a connection; each costs the server memory on every
 * connection.
 */
const preparedMax = 300
const usesBeforePrepared = 3

export type ConnectionPools = {
  readonly work: pg.Pool
  readonly urgent: pg.Pool
  readonly sessions: ServerSessions
  readonly checkout: ConnectionCheckout
  /** One connection outside the pools, for work that must not share one. */
  connect(options?: { answerMsMax: number }): Promise<pg.Client>
  /**
   * Runs each statement on any free connection of this pool. Retries once when a connection broke.
   * `always`: also on a server that is known to be a replica, to see whether it still is one.
   */
  executorOf(pool: pg.Pool, options?: { readonly always: boolean }): Executor
  /** The same for reads that may take long: each waits for its turn, and has its own deadline. */
  boundedFor(asking: CostlyRequest): Executor
  /** Runs all statements on one connection. */
  executorOn(client: pg.ClientBase): Executor
  end(): Promise<void>
}

export type PoolOptions = PostgresSetup & {
  /**
   * The name of the connections, from which other instances learn the version of the declarations.
   */
  readonly name?: string | undefined
  /** Each connection of the pools begins with this statement. */
  readonly joinSql?: string | undefined
  /** Limits for reads that may take long. */
  readonly costly?: CostlyLimits | undefined
  readonly watch?: StorageMetrics | undefined
  /** Called when a connection breaks. */
  onFault(error: unknown): void
  /** Receives messages for the operator. */
  readonly report?: ((message: string) => void) | undefined
}

/**
 * Names for frequent statements. A name derives from the text. Behind a proxy another process may
 * have prepared the same name on the connection, and then it means the same text.
 */
function makeNames() {
  const uses = boundedCache<string, { count: number; name: string | undefined }>({ entriesMax: preparedMax * 10 })
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

export type RunQuery = (client: pg.ClientBase, statement: Statement) => Promise<pg.QueryArrayResult<unknown[]>>

/** Prepares frequent statements, until a connection turns out to keep none. */
function makeAsk({ prepare, report = () => undefined }: PoolOptions): RunQuery {
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

function watchedAsk(ask: RunQuery, { isOn, ended }: StatementListener): RunQuery {
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

/**
 * Retries once when the connection broke, or when another session cancelled the statement before
 * its own timeout.
 */
async function withRetry<T>(once: () => Promise<T>): Promise<T> {
  const sinceMs = performance.now()
  try {
    return await once()
  } catch (error) {
    const tookMs = performance.now() - sinceMs
    // An idle connection may have died unnoticed; a statement that only got no response is not
    // repeated.
    const again =
      isUnprepared(error) ||
      (isConnectionFault(error) && tookMs < 1_000) ||
      (isCancelled(error) && tookMs < waits.statementMsMax)
    if (!again) throw translateFault(error)
  }
  try {
    return await once()
  } catch (error) {
    throw translateFault(error)
  }
}

/** Runs a statement on any connection of a pool. */
function makeAskOnce(
  { checkout, sessions }: Pick<ConnectionPools, 'checkout' | 'sessions'>,
  ask: RunQuery,
  onFault: (error: unknown) => void,
) {
  return async (pool: pg.Pool, statement: Statement) => {
    const one = await checkout.take(pool)
    let broken = false
    try {
      return await ask(one, statement)
    } catch (error) {
      broken = isConnectionFault(error)
      if (broken) onFault(error)
      sessions.noteFault(error, one)
      throw error
    } finally {
      one.release(broken || sessions.isOld(one))
    }
  }
}

export function openPools(options: PoolOptions): ConnectionPools {
  const { connectionsMax, costly, name = ownWork, joinSql, report = () => undefined } = options
  const asks = makeAsk(options)
  const ask = options.watch ? watchedAsk(asks, options.watch.statements) : asks
  const hosts = makeServerHosts(options)
  const sessions = makeServerSessions([settingsOf(name, waits), ...(joinSql ? [joinSql] : [])].join('; '), report)
  const checkout = makeCheckout({ hosts, sessions })
  const onFault = (error: unknown) => {
    sessions.broke()
    options.onFault(error)
  }
  const askOnce = makeAskOnce({ checkout, sessions }, ask, options.onFault)

  /** Called with `new` by the pools. */
  function NextClient(): pg.Client {
    return new pg.Client({ ...hosts.config(), query_timeout: waits.answerMsMax })
  }

  function open(max: number): pg.Pool {
    const pool = new pg.Pool({
      Client: NextClient as never,
      max,
      min: 1, // while the server has no free connection, all requests wait for this one
      connectionTimeoutMillis: hosts.config().connectionTimeoutMillis,
      idleTimeoutMillis: 30_000,
      onConnect: sessions.begin as never, // awaited before the pool hands out the connection
    })
    pool.on('error', onFault)
    // The pool listens only to idle connections: without this listener, an error on a busy or
    // discarded connection would be lost.
    pool.on('connect', (one) => one.on('error', onFault))
    return pool
  }

  const work = open(connectionsMax)
  const urgent = open(urgentConnections)
  const take = () => checkout.take(work)
  const bounded = costly && makeBoundedReads({ take, limits: costly, ask, onFault })
  return {
    work,
    urgent,
    sessions,
    checkout,
    async connect({ answerMsMax } = { answerMsMax: waits.answerMsMax }) {
      const one = await hosts.connect({ query_timeout: answerMsMax }, onFault)
      try {
        await one.query(settingsOf(ownWork, waits))
        return one
      } catch (error) {
        await one.end().catch(() => undefined) // otherwise the process would not end
        throw error
      }
    },
    executorOf: (pool, { always } = { always: false }) =>
      executorBy(async (statement) => {
        if (!always) sessions.check()
        return withRetry(() => askOnce(pool, statement))
      }),
    boundedFor: (asking) =>
      executorBy(async (statement) => {
        sessions.check()
        return withRetry(() => (bounded ? bounded.ask(statement, asking) : askOnce(work, statement)))
      }),
    executorOn: (one) => executorBy((statement) => ask(one, statement)),
    async end() {
      bounded?.close()
      await Promise.all([work.end(), urgent.end()])
    },
  }
}
