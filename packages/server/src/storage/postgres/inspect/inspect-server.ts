/**
 * Inspects a PostgreSQL server: its version, settings, connections, and sessions that block others.
 */
import type pg from 'pg'
import { printBytes } from '../../../base/print-bytes.ts'
import type { Findings } from '../../finding.ts'
import { migrationLock } from '../migrate/migration-lock.ts'
import { executorOn } from './client-executor.ts'
import { findOpenWriters } from './open-writers.ts'

const oldestVersion = 140_000
/** Transaction ids run out at 2^31; autovacuum should act at a tenth of that. */
const transactionsWarn = 1_000_000_000
const idleMs = 60_000
/** No write of the service takes this long. */
const writingMs = 5_000
const writersNamed = 3

export async function inspectServer({ about }: Findings, client: pg.Client, where: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS replica, current_setting('default_transaction_read_only') AS readonly, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full,
       current_setting('max_connections')::int AS most, (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       (SELECT age(datfrozenxid)::bigint FROM pg_database WHERE datname = current_database()) AS age, pg_database_size(current_database())::bigint AS bytes`,
  )
  const { version, number, encoding, replica, readonly, fsync, full, most, used, age, bytes } = rows[0]
  if (number < oldestVersion) about('versions', 'PostgreSQL').bad(version, 'Take PostgreSQL 14 or later')
  else about('versions', 'PostgreSQL').ok(version)
  about('size', where).ok(printBytes(Number(bytes)))
  if (encoding !== 'UTF8')
    about('encoding', where).bad(encoding, "CREATE DATABASE … ENCODING 'UTF8' and copy into it: bindery copy")
  if (replica || readonly === 'on')
    about('writes', where).bad(
      replica
        ? 'this server is a replica: it refuses every write'
        : 'default_transaction_read_only is on: every write is refused',
      replica
        ? 'Let DATABASE_URL name the primary, or several with target_session_attrs=read-write'
        : 'See who set it, then: PGOPTIONS="-c default_transaction_read_only=off" psql "$DATABASE_URL" -c "ALTER DATABASE … RESET default_transaction_read_only"',
    )
  if (fsync !== 'on' || full !== 'on')
    about('durability', where).warn(
      `fsync is ${fsync}, full_page_writes is ${full}: a crash may lose or damage what was answered`,
      'Set both to on',
    )
  if (used > most * 0.8)
    about('connections', where).warn(
      `${used} of ${most} are taken`,
      'Lower DATABASE_CONNECTIONS, or put PgBouncer between (deploy/pgbouncer.ini)',
    )
  if (Number(age) > transactionsWarn)
    about('vacuum', where).bad(
      `the oldest transaction id is ${age} behind: the server stops writing at 2,147,483,647`,
      'vacuumdb --all --freeze, and see why autovacuum does not run',
    )
}

const holdsBack = 'the change log is held back: instances and readers of the feed see the changes since then late'

/**
 * Inspects transactions of all databases of the server: the oldest one bounds what the change log
 * has settled. Returns the sessions that it reported.
 */
async function inspectWriters({ about }: Findings, client: pg.Client, where: string): Promise<ReadonlySet<number>> {
  const held = (await findOpenWriters(executorOn(client))).filter(({ ms }) => (ms ?? 0) > writingMs)
  const sessions = held.filter(({ pid }) => pid !== null)
  for (const { pid, name, user, state, ms } of sessions.slice(0, writersNamed))
    about('change log', where).warn(
      `a transaction that wrote is open for ${Math.round(Number(ms) / 1000)} s: process ${pid}, ${name || 'without a name'}, user ${user}, ${state}; ${holdsBack}`,
      `Let it end, or end it: SELECT pg_terminate_backend(${pid})`,
    )
  const prepared = held.filter((one) => one.prepared !== null)
  for (const { prepared: gid, ms } of prepared.slice(0, writersNamed))
    about('change log', where).warn(
      `the prepared transaction ${gid} is open for ${Math.round(Number(ms) / 1000)} s; ${holdsBack}`,
      `Its coordinator ends it, or: ROLLBACK PREPARED '${gid?.replaceAll("'", "''")}'`,
    )
  return new Set(sessions.map(({ pid }) => pid as number))
}

export async function inspectSessions(findings: Findings, client: pg.Client, where: string): Promise<void> {
  const { about } = findings
  const { rows } = await client.query(
    `SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS ms FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid() ORDER BY xact_start`,
  )
  const named = await inspectWriters(findings, client, where)
  const held = rows.filter(({ pid, ms }) => Number(ms) > idleMs && !named.has(pid))
  if (held.length > 0)
    about('locks', where).warn(
      `${held.length} ${held.length === 1 ? 'session holds' : 'sessions hold'} a transaction open and do nothing, the oldest ${held[0].name || 'without a name'} for ${Math.round(Number(held[0].ms) / 1000)} s`,
      `Find out who that is, or end it: SELECT pg_terminate_backend(${held[0].pid})`,
    )
  // pg_locks shows a key of 64 bits in two halves, with objsubid 1
  // (postgresql.org/docs/current/view-pg-locks.html)
  const locks = await client.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = 0 AND objid = $1 AND objsubid = 1`,
    [migrationLock],
  )
  if (locks.rows.length > 0)
    about('locks', where).warn(
      `a migration holds its lock (process ${locks.rows[0].pid}): starts wait for it`,
      `Wait for its end; if no migration runs, end it: SELECT pg_terminate_backend(${locks.rows[0].pid})`,
    )
}
