/**
 * Bounds reads that may take long. They use some of the pool's connections, so that others stay
 * free. Clients take turns, and each statement has its own `statement_timeout`. When the client
 * disconnects, the statement is cancelled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type CostlyLimits, type CostlyRequest, clientHasLeft, tookTooLong, tooManyReads } from '../../costly-reads.ts'
import { makeFairQueue } from '../../fair-queue.ts'
import type { Statement } from '../../sql/statements.ts'
import { isCancelled, isConnectionFault } from '../connect/faults.ts'
import type { RunQuery } from '../connect/pool.ts'

type BoundedReadsDeps = {
  take(): Promise<pg.PoolClient>
  readonly limits: CostlyLimits
  readonly ask: RunQuery
  onFault(error: unknown): void
}

export type BoundedReads = {
  ask(statement: Statement, asking: CostlyRequest): ReturnType<RunQuery>
  /** Refuses waiting reads, and cancels running ones. */
  close(): void
}

/** Properties of the driver's client that its types lack. */
type KeyedClient = pg.PoolClient & {
  readonly host: string
  readonly port: number
  processID: number
  secretKey: number
}
type WireConnection = pg.Connection & {
  connect(port: number | string, host?: string): void
  cancel(processID: number, secretKey: number): void
}

const cancelMsMax = 1_000
const cancelEveryMs = 50

/**
 * Resolves when the server has taken the request. The request goes to the connection's own address,
 * in plain text as libpq's did for years. Its only secret is the key of that one connection. A
 * proxy with keys of its own passes it on.
 */
function cancel({ host, port, processID, secretKey }: KeyedClient): Promise<void> {
  return new Promise((resolve) => {
    const wire = new pg.Connection({ ssl: false }) as WireConnection
    const timer = setTimeout(end, cancelMsMax)
    function end(): void {
      clearTimeout(timer)
      wire.stream.destroy()
      resolve()
    }
    wire.on('connect', () => wire.cancel(processID, secretKey))
    wire.on('error', end)
    wire.on('end', end)
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`)
    else wire.connect(port, host)
  })
}

/** A cancel that arrives between two statements has no effect, so it is repeated. */
async function cancelWhile(isAsking: () => boolean, one: KeyedClient): Promise<void> {
  while (isAsking()) {
    await cancel(one)
    await sleep(cancelEveryMs)
  }
}

export function makeBoundedReads({ take, limits, ask, onFault }: BoundedReadsDeps): BoundedReads {
  const queue = makeFairQueue(limits)
  const running = new Set<() => void>()
  let closed = false
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${limits.readMsMax}`

  /** Another session may have cancelled it before its timeout. */
  const isOver = (error: unknown, beganMs: number) =>
    isCancelled(error) && performance.now() - beganMs >= limits.readMsMax

  async function askOn(one: KeyedClient, statement: Statement, isWanted: () => boolean) {
    await one.query(begin)
    if (!isWanted()) throw clientHasLeft
    const result = await ask(one, statement)
    await one.query('COMMIT')
    return result
  }

  async function askBounded(statement: Statement, { readClient, advice }: CostlyRequest) {
    const one = (await take()) as KeyedClient
    let isAsking = true
    let cancelled: Promise<void> | undefined
    const halt = () => {
      cancelled ??= cancelWhile(() => isAsking, one)
    }
    running.add(halt)
    const forget = readClient.onLeft(halt)
    let isSpoiled = true
    const beganMs = performance.now()
    try {
      const result = await askOn(one, statement, () => cancelled === undefined && !closed)
      isSpoiled = false
      return result
    } catch (error) {
      isAsking = false
      if (isConnectionFault(error)) onFault(error)
      else if (!cancelled) isSpoiled = !(await one.query('ROLLBACK').catch(() => undefined))
      if (readClient.left()) throw clientHasLeft
      if (cancelled || closed) throw tooManyReads()
      throw isOver(error, beganMs) ? tookTooLong(advice) : error
    } finally {
      isAsking = false
      forget()
      running.delete(halt)
      await cancelled
      // A cancel may arrive late, and would end the next statement on this connection.
      one.release(isSpoiled || cancelled !== undefined)
    }
  }

  return {
    async ask(statement, asking) {
      const endTurn = await queue.turn(asking.readClient)
      try {
        return await askBounded(statement, asking)
      } finally {
        endTurn()
      }
    },
    close() {
      closed = true // also for reads that have their turn and wait for a connection
      queue.close()
      for (const halt of running) halt()
    },
  }
}
