/**
 * Opens the first connection to PostgreSQL. It waits for a server that is still starting, and
 * reports in one line why a server cannot be used.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import type { Executor } from '../../sql/reader.ts'
import { isConnectionFault, isReadOnly } from './faults.ts'
import { addressOf, parseAddress } from './libpq-address.ts'
import { type ConnectionPools, openPools } from './pool.ts'
import { type SessionState, sessionSql } from './server-hosts.ts'

/** How long to wait for a server that is still starting. */
const startMsMax = 10_000
const startStepMs = 250

type ConnectOptions = {
  readonly url: string
  readonly reread?: (() => string) | undefined
  /** Receives messages for the operator. */
  readonly report?: ((message: string) => void) | undefined
}

/** One connection, its executor, and a function that opens another one like it. */
export type SingleConnection = {
  readonly client: pg.Client
  readonly executor: Executor
  another(): Promise<pg.Client>
  /** The schema that the address names. */
  readonly schema: string | undefined
}

async function connectAtStart(
  pools: ConnectionPools,
  { url, report = () => undefined }: ConnectOptions,
): Promise<pg.Client> {
  const sinceMs = performance.now()
  for (let told = false; ; told = true) {
    try {
      return await pools.connect({ answerMsMax: 0 })
    } catch (error) {
      const problem = `Cannot use the database ${addressOf(url)}: ${(error as Error).message}`
      if (!isConnectionFault(error) || performance.now() - sinceMs > startMsMax) throw new StartError(problem)
      if (!told) report(`${problem}; trying for ${startMsMax / 1000} seconds`)
      await sleep(startStepMs)
    }
  }
}

const primaryAdvice =
  'let DATABASE_URL name the primary, or several hosts, of which one is: postgres://a:5432,b:5432/NAME?target_session_attrs=read-write'

async function checkServer(client: pg.Client, { url, toServe }: ConnectOptions & { toServe: boolean }): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding")
  if (rows[0].encoding !== 'UTF8')
    throw new StartError(`The database must have the encoding UTF8, not ${rows[0].encoding}`)
  const { replica, schema: current } = (await client.query<SessionState>(sessionSql)).rows[0] as SessionState
  if (toServe && replica)
    throw new StartError(`The server ${addressOf(url)} is a replica: it refuses every write; ${primaryAdvice}`)
  const schema = parseAddress(url)?.parameters.schema
  if (schema !== undefined && current !== schema && current !== null)
    throw new StartError(
      `The schema ${schema} is not what connections get, but ${current}: a proxy leaves it out. Set it for the user instead: ALTER ROLE … SET search_path = ${schema}`,
    )
}

/**
 * Tells the operator how to mend a server that refuses writes, or a database user that lacks the
 * rights of a start.
 */
async function explained(error: unknown, client: pg.Client): Promise<unknown> {
  const { user } = client
  const { code, message } = error as { code?: string; message: string }
  // Since PostgreSQL 15 only the owner of a database may make tables in its schema `public`.
  if (code === '42501')
    return new StartError(
      `The user ${user} of the database lacks a right: ${message}. Let it own the database (ALTER DATABASE … OWNER TO ${user}), or GRANT CREATE ON SCHEMA public TO ${user}`,
      { cause: error },
    )
  if (code === '3F000')
    return new StartError(`The search_path of the user ${user} names no schema that is there: ${message}`, {
      cause: error,
    })
  if (!isReadOnly(error)) return error
  await client.query('ROLLBACK').catch(() => undefined)
  const session = await client.query<SessionState>(sessionSql).then(
    ({ rows }) => rows[0],
    () => undefined,
  )
  return new StartError(
    session?.replica
      ? `The server is a replica: it refuses every write; ${primaryAdvice}`
      : 'The database refuses every write: default_transaction_read_only is on for the server, the database or the user. See who set it: bindery doctor',
    { cause: error },
  )
}

/**
 * Runs work before serving on one connection, without the time limits of requests. Throws
 * `StartError`. `toServe`: for a service, which cannot use a replica; other commands may read
 * there.
 */
export async function onConnection<T>(
  pools: ConnectionPools,
  options: ConnectOptions & { readonly toServe?: boolean },
  work: (connected: SingleConnection) => Promise<T>,
): Promise<T> {
  const { toServe = false } = options
  const client = await connectAtStart(pools, options)
  try {
    await checkServer(client, { ...options, toServe })
    const another = () => pools.connect({ answerMsMax: 0 })
    const schema = parseAddress(options.url)?.parameters.schema
    return await work({ client, executor: pools.executorOn(client), another, schema })
  } catch (error) {
    throw await explained(error, client)
  } finally {
    await client.end()
  }
}

/** The same for a program with no other work there. */
export function onOwnConnection<T>(
  place: Pick<ConnectOptions, 'url' | 'reread'>,
  work: (connected: SingleConnection) => Promise<T>,
): Promise<T> {
  const pools = openPools({ ...place, connectionsMax: 1, prepare: false, onFault: () => undefined })
  return onConnection(pools, place, work)
}
