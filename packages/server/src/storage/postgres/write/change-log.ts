/**
 * The change log on PostgreSQL. A sequence is drawn before its commit, so a later one may become
 * visible first. Each row therefore has its transaction id. Below `pg_snapshot_xmin` all
 * transactions have ended; above it a reader remembers the delivered rows, and reads the others
 * later. So each change is delivered once, as soon as it is visible.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import { type Change, type ChangeFeed, type Changes, changesKeptMs, changesTable } from '../../changes.ts'
import { changeColumns, isCut, readChange } from '../../sql/change-rows.ts'
import type { KeptBounds } from '../../sql/kept-bounds.ts'
import { unkeptResources } from '../../sql/kept-changes.ts'
import type { Executor } from '../../sql/reader.ts'
import { makeShareInFlight } from '../read/share-in-flight.ts'
import { keptIndexSql, keptLogOf, logUnknown, unknownSql } from './kept-rows.ts'
import type { OwnedChange } from './logged-write.ts'
import { sweepKept, sweepUnkept } from './sweep-changes.ts'

/** The sweep removes only much older rows, even if an instance's clock is wrong. */
const cutMs = changesKeptMs / 2

export const changesTableSql = `
  CREATE TABLE IF NOT EXISTS ${changesTable} (xid xid8 NOT NULL DEFAULT pg_current_xact_id(), sequence bigint GENERATED ALWAYS AS IDENTITY,
    at_ms bigint NOT NULL, resource text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, id text COLLATE "C", version bigint,
    records text COLLATE "C", user_id text COLLATE "C", credential text COLLATE "C" NOT NULL, detail text COLLATE "C",
    PRIMARY KEY (xid, sequence));
  ALTER TABLE ${changesTable} ADD COLUMN IF NOT EXISTS settles bigint, ADD COLUMN IF NOT EXISTS ends bigint;
  ${keptIndexSql};
  CREATE OR REPLACE FUNCTION bindery_written_past() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${unknownSql('TG_ARGV[0]')};
      RETURN NULL;
    END
  $$;
  CREATE OR REPLACE FUNCTION bindery_log_cut() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM gone WHERE at_ms > extract(epoch FROM clock_timestamp()) * 1000 - ${cutMs}) THEN
        ${unknownSql(`'${changesTable}'`)};
      END IF;
      RETURN NULL;
    END
  $$;
  CREATE OR REPLACE TRIGGER bindery_log_cut AFTER DELETE ON ${changesTable} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION bindery_log_cut();
  CREATE OR REPLACE TRIGGER bindery_log_emptied AFTER TRUNCATE ON ${changesTable}
    FOR EACH STATEMENT EXECUTE FUNCTION bindery_written_past('${changesTable}');
`
const columns = changeColumns.map((name) => `c.${name}`).join()
/**
 * One statement, so that the bound and the rows are of one snapshot. Without new rows, one row has
 * the bound alone. It also says whether the server is a replica or refuses writes: its rows may
 * then be old, however often they are read.
 */
const readSql = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', pg_snapshot_xmin(pg_current_snapshot())::text,
  c.xid::text, c.sequence, ${columns} FROM (SELECT 1) AS one LEFT JOIN LATERAL (SELECT * FROM ${changesTable} WHERE xid >= $1::text::xid8 ORDER BY xid, sequence LIMIT $2) AS c ON true`
const boundSql = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text'
const settledSql = `SELECT c.xid::text, c.sequence, ${columns} FROM ${changesTable} AS c
  WHERE (c.xid, c.sequence) > ($1::text::xid8, $2::bigint) AND c.xid < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY c.xid, c.sequence LIMIT $3`
/** The most rows that one read takes; when there are more, readers start over. */
const readMax = 10_000
const pollEveryMs = 200
/**
 * How long the result of a read is trusted, so that every instance sees a change within a second.
 */
const trustedMsMax = 600

/**
 * In a transaction with this setting, writes add their own rows to the log, and the trigger adds
 * none.
 */
export const logsItself = "SET LOCAL bindery.logs = 'on'"

/**
 * Logs writes of programs that do not log their own: another program, or an instance from before
 * the log. It costs the service's own writes nothing.
 */
export function triggerSql(table: string, resource: string): string {
  return `CREATE OR REPLACE TRIGGER bindery_written_past AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "${table}" FOR EACH STATEMENT
    WHEN (current_setting('bindery.logs', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION bindery_written_past('${resource}')`
}

export type PostgresChangeLog = Changes & {
  /**
   * Notes a write of this process: other instances may see it before this process learns of its
   * commit.
   */
  writing(change: OwnedChange): void
  /** Delivers the changes that this process has just committed. */
  committed(written: readonly OwnedChange[]): void
  /** Forgets the notes of a transaction that did not commit, or may not have. */
  undone(written: readonly OwnedChange[]): void
  /**
   * Starts over: after a broken connection the next server may lack changes that the last one had.
   */
  forget(): void
  /** The time since the last successful look at other processes' writes. */
  lagMs(): number
  stop(): Promise<void>
}

type ChangeLogDeps = {
  readonly executor: Executor
  /**
   * Receives the server's state with every look. Throws where the result of the look is useless.
   */
  saw(server: { readonly replica: boolean; readonly readonly: boolean }): void
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  /** For sweeps. */
  readonly transaction: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>
  readonly bounds: KeptBounds
  report(message: string): void
}

type OwnChangeTracking = Pick<
  PostgresChangeLog,
  'isCurrent' | 'catchUp' | 'lagMs' | 'writing' | 'committed' | 'undone' | 'forget'
>

/** Returns the bound, and the rows above `from` as transaction, sequence and cells. */
function makeLook(executor: Executor, saw: ChangeLogDeps['saw']) {
  return async (from: bigint) => {
    const rows = await executor.all({ sql: readSql, parameters: [String(from), readMax] })
    const [replica, readonly, bound] = rows[0] as [boolean, boolean, string]
    saw({ replica, readonly })
    return { bound: BigInt(bound), rows: rows.map((cells) => cells.slice(3)) }
  }
}

/** Readers of the kept log must learn that it lacks values. */
function noteUnkept(executor: Executor, catalog: Catalog, fresh: readonly Change[]): void {
  const names = unkeptResources(catalog, fresh)
  // the next look tells of a database that is away
  if (names.length > 0) logUnknown(executor, names).catch(() => undefined)
}

type FollowingDeps = Omit<ChangeLogDeps, 'report' | 'transaction' | 'bounds'> & Pick<Changes, 'kept'>

/** The part of the log that this process has read, each change delivered once. */
function makeFollowing(deps: FollowingDeps): OwnChangeTracking {
  const { executor, catalog, feed, kept } = deps
  const share = makeShareInFlight()
  /**
   * Every change of a transaction below this has been delivered; above it, those in `delivered`.
   */
  let settled: bigint | undefined
  const delivered = new Map<number, bigint>()
  /** By sequence: changes of this process, with more details than their rows have. */
  const own = new Map<number, OwnedChange>()
  let seenMs = Number.NEGATIVE_INFINITY
  let epoch = 0

  const look = makeLook(executor, deps.saw)
  /** Starts from now and resets the readers, which need no earlier changes. */
  async function begin(): Promise<void> {
    const bound = BigInt((await executor.first({ sql: boundSql, parameters: [] }))?.[0] as string)
    const { rows: known } = await look(bound)
    await kept?.renewMarks()
    settled = bound
    delivered.clear()
    for (const [xid, sequence] of known) if (sequence !== null) delivered.set(sequence as number, BigInt(xid as string))
    feed.reset()
  }

  async function read(): Promise<void> {
    const askedMs = performance.now()
    const at = epoch
    // After so long without a look, the process may have missed swept rows.
    if (askedMs - seenMs > changesKeptMs / 2) settled = undefined
    if (settled === undefined) await begin()
    else {
      const seen = await look(settled)
      if (at !== epoch) return read() // `forget` was called meanwhile
      if (seen.rows.length >= readMax) {
        settled = undefined
        return read()
      }
      take(seen)
    }
    seenMs = askedMs
  }

  const isDelivered = (sequence: number, transaction: bigint): boolean =>
    delivered.has(sequence) || (settled !== undefined && transaction < settled)

  function take({ bound, rows }: Awaited<ReturnType<ReturnType<typeof makeLook>>>): void {
    const fresh: Change[] = []
    for (const [xid, sequence, ...cells] of rows) {
      if (sequence === null || delivered.has(sequence as number)) continue
      const transaction = BigInt(xid as string)
      delivered.set(sequence as number, transaction)
      fresh.push(own.get(sequence as number) ?? { ...readChange(catalog, [sequence, ...cells]), transaction })
    }
    settled = bound
    noteUnkept(executor, catalog, fresh)
    for (const [sequence, xid] of delivered) if (xid < settled) delivered.delete(sequence)
    if (fresh.some(isCut)) feed.reset()
    else feed.deliver(fresh)
  }

  return {
    catchUp: () => share('read', read),
    lagMs: () => performance.now() - seenMs,
    isCurrent: () => settled !== undefined && performance.now() - seenMs < trustedMsMax,
    writing: (change) => void own.set(change.sequence, change),
    committed(written) {
      for (const { sequence } of written) own.delete(sequence)
      // A read on another connection may have delivered it before this process learned of the
      // commit.
      const fresh = written.filter(({ sequence, transaction }) => !isDelivered(sequence, transaction))
      for (const { sequence, transaction } of fresh) delivered.set(sequence, transaction)
      feed.deliver(fresh)
    },
    undone(written) {
      for (const { sequence } of written) own.delete(sequence)
    },
    forget() {
      epoch += 1
      settled = undefined
      feed.reset()
    },
  }
}

/**
 * Looks repeatedly, and reports when looks fail and when they succeed again. Returns a function
 * that stops it.
 */
function startPolling({ catchUp, isCurrent }: OwnChangeTracking, report: ChangeLogDeps['report']): () => Promise<void> {
  let seeing = true
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  function pollLater(): void {
    timer = setTimeout(() => {
      polling = poll()
    }, pollEveryMs)
  }
  async function poll(): Promise<void> {
    try {
      await catchUp()
    } catch {
      // an error shows in the lag of the log
    }
    if (stopped) return
    if (seeing !== isCurrent()) {
      seeing = !seeing
      if (seeing) report('Changes by other instances are seen again')
      else report('Changes by other instances are not seen: nothing is served from memory until they are')
    }
    pollLater()
  }
  pollLater()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await polling
  }
}

export async function startChangeLog({
  report,
  transaction,
  bounds,
  ...parts
}: ChangeLogDeps): Promise<PostgresChangeLog> {
  const { executor, catalog, feed } = parts
  const kept = keptLogOf(catalog, executor)
  const following = makeFollowing({ ...parts, kept })
  await following.catchUp()
  const stop = startPolling(following, report)

  return {
    ...following,
    trustedMs: trustedMsMax,
    follow: feed.follow,
    watch: feed.watch,
    kept,
    stop,
    async read(place, limit) {
      const [xid, sequence] = (place ?? '0 0').split(' ')
      const rows = await executor.all({ sql: settledSql, parameters: [xid, sequence, limit] })
      const last = rows.at(-1)
      return {
        changes: rows.map(([, ...cells]) => readChange(catalog, cells)),
        place: last ? `${last[0]} ${last[1]}` : place,
      }
    },
    sweep: (nowMs = Date.now()) =>
      transaction((one) => (kept ? sweepKept(one, nowMs, bounds) : sweepUnkept(one, nowMs))),
  }
}
