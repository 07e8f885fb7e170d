/**
 * The open transactions of a PostgreSQL server that have written, in all of its databases. The
 * oldest one bounds what the change log has settled.
 */
import type { LogHolder } from '../../derived/kept-log.ts'
import type { Executor } from '../../sql/reader.ts'

/**
 * The id of a transaction is in a lock that every user may see. Other details of other users'
 * sessions may be hidden.
 */
const sessionsSql = `SELECT DISTINCT ON (l.pid) l.pid, NULL, a.application_name, a.usename::text, a.state, extract(epoch FROM clock_timestamp() - a.xact_start) * 1000 AS ms
  FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid IS NOT NULL AND l.pid <> pg_backend_pid()`
const preparedSql =
  'SELECT NULL, gid, NULL, owner::text, NULL, extract(epoch FROM clock_timestamp() - prepared) * 1000 FROM pg_prepared_xacts'
const writersSql = `(${sessionsSql}) UNION ALL ${preparedSql} ORDER BY ms DESC NULLS LAST`

/** The oldest first. A transaction with savepoints is one. */
export async function findOpenWriters({ all }: Pick<Executor, 'all'>): Promise<readonly LogHolder[]> {
  return (await all({ sql: writersSql, parameters: [] })).map(([pid, prepared, name, user, state, ms]) => ({
    pid: pid as number | null,
    prepared: prepared as string | null,
    name: (name as string | null) || null,
    user: user as string | null,
    state: state as string | null,
    ms: ms === null ? null : Number(ms),
  }))
}
