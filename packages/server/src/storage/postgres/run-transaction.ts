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
import { isCollision, isConnectionFault, isOutdated, isUnprepared, translateFault } from './faults.ts'
import type { Pools } from './pool.ts'

/** Errors after which a retry from the beginning may succeed, and how often it is tried. */
const retries = [
  { isIt: isCollision, max: 8 },
  { isIt: isOutdated, max: 1 },
  { isIt: isConnectionFault, max: 1 },
  { isIt: isUnprepared, max: 1 },
] as const
/** No retry starts after this; the statements of the last attempt still have their own limits. */
const attemptsMsMax = 4_000

type Outcome<T> = { readonly result: T } | { readonly error: unknown; readonly unsure: boolean }

/** Runs the work between BEGIN and COMMIT. `unsure`: the connection broke during the commit, so nobody knows its outcome. */
async function attempt<T>(
  pools: Pools,
  client: pg.PoolClient,
  { work, watch }: { work: (executor: Executor) => Promise<T>; watch: StorageWatch | undefined },
): Promise<Outcome<T>> {
  let committing = false
  try {
    await client.query(`BEGIN; ${logsItself}`)
    const result = await work(pools.executorOn(client))
    committing = true
    const beganMs = performance.now()
    const { command } = await client.query('COMMIT')
    watch?.committed(1, performance.now() - beganMs)
    if (command !== 'COMMIT') throw new Error(`a statement failed unseen, and the transaction ended with ${command}`)
    client.release()
    return { result }
  } catch (error) {
    const broken = isConnectionFault(error)
    try {
      if (!broken) await client.query('ROLLBACK')
      client.release(broken)
    } catch {
      client.release(true)
    }
    return { error, unsure: broken && committing }
  }
}

type Running = { readonly pools: Pools; readonly watch?: StorageWatch | undefined; onFault(error: unknown): void }

export async function runTransaction<T>(
  { pools, onFault, watch }: Running,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  const sinceMs = performance.now()
  const left = new Map<(typeof retries)[number], number>(retries.map((retry) => [retry, retry.max]))
  for (;;) {
    let outcome: Outcome<T>
    try {
      outcome = await attempt(pools, await pools.work.connect(), { work, watch })
    } catch (error) {
      outcome = { error, unsure: false } // no connection was available
    }
    if ('result' in outcome) return outcome.result
    const { error, unsure } = outcome
    if (isConnectionFault(error)) onFault(error)
    if (unsure) {
      const message = 'The database went away while this was stored; look before you try again'
      throw new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 1 })
    }
    const retry = retries.find(({ isIt }) => isIt(error))
    const times = (retry && left.get(retry)) ?? 0
    if (!retry || times === 0 || performance.now() - sinceMs > attemptsMsMax) throw translateFault(error)
    left.set(retry, times - 1)
    if (retry.isIt === isCollision) await sleep(Math.random() * 10 * 2 ** (retry.max - times))
  }
}
