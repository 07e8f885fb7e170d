/**
 * The lock that makes migrations run one after another, and the check for other connected
 * instances. The lock ends with the transaction of a connection that runs no other statement, so it
 * works behind a proxy. Waiting processes poll: a session that blocked on the lock would hold up
 * concurrent index builds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import { ownWork } from '../connect/pool.ts'

/**
 * `bind` in ASCII: the advisory lock of every migration of this database, and every copy into it.
 */
export const migrationLock = 0x62696e64
const askEveryMs = 50
/** Connections of a killed process take a moment to end. */
const goneWithinMs = 1_500

/** Runs the work between `begin` and the commit, and commits all of it or nothing. */
export async function inTransaction<T>(client: pg.ClientBase, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // a broken connection has rolled back already
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Runs the work in one transaction that excludes other migrations and copies. */
export function underMigrationLock<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  return inTransaction(client, 'BEGIN', async () => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    return work()
  })
}

/**
 * Runs the work under a lock that excludes other migrations and copies. `check` throws when the
 * lock was lost with its connection.
 */
export async function whileLocked<T>(guard: pg.Client, work: (check: () => Promise<void>) => Promise<T>): Promise<T> {
  for (;;) {
    await guard.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0')
    const { rows } = await guard.query('SELECT pg_try_advisory_xact_lock($1) AS held', [migrationLock])
    if (rows[0].held) break
    await guard.query('ROLLBACK')
    await sleep(askEveryMs)
  }
  try {
    return await work(async () => {
      await guard.query('SELECT 1').catch((cause) => {
        throw new StartError(`The lock of the migration was lost: ${(cause as Error).message}. Start again: it goes on`)
      })
    })
  } finally {
    await guard.query('ROLLBACK').catch(() => undefined)
  }
}

/**
 * Whether other instances are connected, except those of the version with this name. It waits
 * briefly for connections that are just ending.
 */
export async function areOthersConnected(client: pg.ClientBase, name: string): Promise<boolean> {
  const sinceMs = performance.now()
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*)::int8 AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend' AND coalesce(application_name, '') NOT IN ($1, $2)`,
      [ownWork, name],
    )
    if (rows[0].count === 0) return false
    if (performance.now() - sinceMs > goneWithinMs) return true
    await sleep(askEveryMs)
  }
}
