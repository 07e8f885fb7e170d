/**
 * Runs a transaction on a connection of the pool: READ COMMITTED, with every row locked that the work depends on. After a collision, or
 * when the connection breaks before the commit, the work runs again from its beginning.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ApiError } from '../../errors.ts'
import type { StorageWatch } from '../../observe/statement-watch.ts'
import type { Executor } from '../sql/reader.ts'
import { logsItself } from './change-log.ts'
import {
  isCancelled,
  isCollision,
  isConnectionFault,
  isConstraint,
  isOutdated,
  isUnprepared,
  translateFault,
} from './faults.ts'
import { type Pools, waits } from './pool.ts'

/** Errors after which a retry from the beginning may succeed, and how often it is tried. */
const retries = [
  { isIt: isCollision, max: 8 },
  { isIt: isOutdated, max: 1 },
  { isIt: isConnectionFault, max: 1 },
  { isIt: isUnprepared, max: 1 },
  { isIt: isCancelled, max: 1 },
] as const
/** No retry starts after this; the statements of the last attempt still have their own limits. */
const attemptsMsMax = 4_000

/** `unsure`: the connection broke during the commit, so the outcome is unknown. `isOwn`: the work ran, and the error is one of its own. */
type Failed = { readonly error: unknown; readonly unsure: boolean; readonly isOwn: boolean }
type Outcome<T> = { readonly result: T } | Failed

/** Runs the work between BEGIN and COMMIT. */
async function attempt<T>(
  pools: Pools,
  client: pg.PoolClient,
  { work, watch }: { work: (executor: Executor) => Promise<T>; watch: StorageWatch | undefined },
): Promise<Outcome<T>> {
  let at: 'begin' | 'work' | 'commit' = 'begin'
  try {
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${logsItself}`)
    at = 'work'
    const result = await work(pools.executorOn(client))
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
    return { error, unsure: broken && at === 'commit', isOwn: at === 'work' || isConstraint(error) }
  }
}

/** An unknown error of BEGIN or COMMIT is none of the work: nothing of it was kept. */
function refusalOf(error: unknown, isOwn: boolean): unknown {
  const known = translateFault(error)
  if (isOwn || known instanceof ApiError) return known
  const message = 'The database cannot be written, nothing was changed'
  return new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 1 })
}

type Running = { readonly pools: Pools; readonly watch?: StorageWatch | undefined; onFault(error: unknown): void }

export async function runTransaction<T>(
  { pools, onFault, watch }: Running,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  const sinceMs = performance.now()
  const left = new Map<(typeof retries)[number], number>(retries.map((retry) => [retry, retry.max]))
  for (;;) {
    const attemptedMs = performance.now()
    let outcome: Outcome<T>
    try {
      pools.sessions.check()
      outcome = await attempt(pools, await pools.checkout.takeToWrite(pools.work), { work, watch })
    } catch (error) {
      outcome = { error, unsure: false, isOwn: false } // no connection was available
    }
    if ('result' in outcome) return outcome.result
    const { error, unsure, isOwn } = outcome
    if (isConnectionFault(error)) onFault(error)
    if (unsure) {
      const message = 'The database went away while this was stored; look before you try again'
      throw new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 1 })
    }
    // When a statement has had its whole time, it was not somebody else who cancelled it.
    const isOver = isCancelled(error) && performance.now() - attemptedMs >= waits.statementMsMax
    const retry = isOver ? undefined : retries.find(({ isIt }) => isIt(error))
    const times = (retry && left.get(retry)) ?? 0
    if (!retry || times === 0 || performance.now() - sinceMs > attemptsMsMax) throw refusalOf(error, isOwn)
    left.set(retry, times - 1)
    if (retry.isIt === isCollision) await sleep(Math.random() * 10 * 2 ** (retry.max - times))
  }
}
