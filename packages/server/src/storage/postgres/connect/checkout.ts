/**
 * Takes connections out of a pool. A server that ends one connection often ends all. After a break,
 * each older one must answer before its next use. While the server has no free connection, requests
 * wait for those that the pool has. When the connected host no longer serves, the checkout tries
 * the other hosts of the address.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { cannotBeWritten, isConnectionFault, isFullHouse, translateConnecting, translateFault } from './faults.ts'
import { connectMsMax, type ServerHosts } from './server-hosts.ts'
import type { ServerSessions } from './server-sessions.ts'

type CheckoutDeps = { readonly hosts: ServerHosts; readonly sessions: ServerSessions }

export type ConnectionCheckout = {
  /** Throws `ApiError`, or the error of a connection. */
  take(pool: pg.Pool): Promise<pg.PoolClient>
  /** For a transaction that may write. */
  takeToWrite(pool: pg.Pool): Promise<pg.PoolClient>
}

/** After the server refused another connection, the pool asks for none for this long. */
const contentMs = 5_000
const askAgainMs = 50

export function makeCheckout({ hosts, sessions }: CheckoutDeps): ConnectionCheckout {
  const content = new WeakSet<pg.Pool>()

  function beContent(pool: pg.Pool): void {
    const { max } = pool.options
    if (content.has(pool)) {
      pool.options.max = Math.max(1, Math.min(max, pool.totalCount))
      return
    }
    content.add(pool)
    pool.options.max = Math.max(1, pool.totalCount)
    setTimeout(() => {
      content.delete(pool)
      pool.options.max = max
    }, contentMs).unref()
  }

  /** Returns whether it answers; one that does not is out of its pool. */
  async function isAlive(one: pg.PoolClient, sinceMs: number): Promise<boolean> {
    try {
      await one.query('SELECT 1')
      sessions.answered(one)
      return true
    } catch (error) {
      one.release(true)
      if (!isConnectionFault(error) || performance.now() - sinceMs > connectMsMax) throw translateFault(error)
      return false
    }
  }

  async function take(pool: pg.Pool): Promise<pg.PoolClient> {
    const sinceMs = performance.now()
    for (;;) {
      const one = await takeAny(pool, sinceMs)
      if (!sessions.isDoubtful(one) || (await isAlive(one, sinceMs))) return one
    }
  }

  async function takeAny(pool: pg.Pool, sinceMs: number): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await hosts.reach(() => pool.connect())
      } catch (error) {
        if (!isFullHouse(error) || performance.now() - sinceMs > connectMsMax) throw translateConnecting(error)
        beContent(pool)
        if (pool.totalCount === 0) await sleep(askAgainMs)
      }
    }
  }

  return {
    take,
    async takeToWrite(pool) {
      for (;;) {
        const one = await take(pool)
        if (sessions.isOld(one)) one.release(true)
        else if (!sessions.isRefusing(one)) return one
        else {
          one.release()
          throw cannotBeWritten()
        }
      }
    },
  }
}
