/** The first connection to PostgreSQL: waits for a server that is still starting, and reports one that cannot be used in one line. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../../errors.ts'
import type { Executor } from '../sql/reader.ts'
import { isConnectionFault } from './faults.ts'
import { openPools, type Pools } from './pool.ts'
import { addressOf } from './setup.ts'

/** How long to wait for a server that is still starting. */
const startMsMax = 10_000
const startStepMs = 250

type ConnectOptions = {
  readonly url: string
  /** Receives messages for the operator. */
  readonly report?: ((message: string) => void) | undefined
}

/** One connection, what runs statements on it, and another one like it. */
export type Connected = {
  readonly client: pg.Client
  readonly executor: Executor
  another(): Promise<pg.Client>
}

async function connectAtStart(pools: Pools, { url, report = () => undefined }: ConnectOptions): Promise<pg.Client> {
  const sinceMs = performance.now()
  for (let told = false; ; told = true) {
    try {
      return await pools.connect(url, { answerMsMax: 0 })
    } catch (error) {
      const problem = `Cannot use the database ${addressOf(url)}: ${(error as Error).message}`
      if (!isConnectionFault(error) || performance.now() - sinceMs > startMsMax) throw new StartError(problem)
      if (!told) report(`${problem}; trying for ${startMsMax / 1000} seconds`)
      await sleep(startStepMs)
    }
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding")
  if (rows[0].encoding !== 'UTF8')
    throw new StartError(`The database must have the encoding UTF8, not ${rows[0].encoding}`)
}

/** What an operator does about a user of the database that may not do what a start does. */
function rightsError(error: unknown, { user }: pg.Client): unknown {
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
  return error
}

/** Runs work that comes before serving on one connection, where an answer may take its time. Throws `StartError`. */
export async function onConnection<T>(
  pools: Pools,
  options: ConnectOptions,
  work: (connected: Connected) => Promise<T>,
): Promise<T> {
  const client = await connectAtStart(pools, options)
  try {
    await checkServer(client)
    const another = () => pools.connect(options.url, { answerMsMax: 0 })
    return await work({ client, executor: pools.executorOn(client), another })
  } catch (error) {
    throw rightsError(error, client)
  } finally {
    await client.end()
  }
}

/** The same for a program that does nothing else there. */
export function onOwnConnection<T>(url: string, work: (connected: Connected) => Promise<T>): Promise<T> {
  const pools = openPools({ url, connectionsMax: 1, prepare: false, onFault: () => undefined })
  return onConnection(pools, { url }, work)
}
