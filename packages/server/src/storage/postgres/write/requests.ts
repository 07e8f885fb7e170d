/**
 * Requests that were done under a key of their client's choice. A lock of the transaction says that one is running, on whatever instance;
 * the row says that it is done.
 */
import { type KeptBounds, makeKeptBounds } from '../../kept-bounds.ts'
import type { Executor } from '../../sql/reader.ts'
import { type RequestLimits, requestsKept, type Storage, type Transaction } from '../../storage.ts'

const table = 'bindery_requests'
export const requestsTableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, print text COLLATE "C" NOT NULL, answer text COLLATE "C" NOT NULL,
    at_ms bigint NOT NULL, bytes bigint NOT NULL);
  CREATE INDEX IF NOT EXISTS ${table}_at_ms_idx ON ${table} (at_ms, bytes);
  ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS owner text COLLATE "C" NOT NULL DEFAULT '';
  CREATE INDEX IF NOT EXISTS ${table}_owner_idx ON ${table} (owner, at_ms, key, bytes);
`
/** What a row takes besides its answer: its digests, its place in both trees. */
const rowBytes = 300
const sweptMax = 5_000

const findSql = `SELECT print, answer, at_ms FROM ${table} WHERE key = $1 AND at_ms >= $2`
/** What another transaction commits between the two halves is found by the statement that keeps the request. */
const claimSql = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)),
  EXISTS (SELECT 1 FROM ${table} WHERE key = $1 AND at_ms >= $2)`
const keepSql = `INSERT INTO ${table} AS r (key, print, answer, at_ms, bytes, owner) VALUES ($1, $2, $3, $4, $5, $7)
  ON CONFLICT (key) DO UPDATE SET print = excluded.print, answer = excluded.answer, at_ms = excluded.at_ms, bytes = excluded.bytes,
    owner = excluded.owner
  WHERE r.at_ms < $6`
const bytesSql = `SELECT coalesce(sum(bytes), 0)::bigint FROM ${table}`
const oldSql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE at_ms < $1 ORDER BY at_ms LIMIT ${sweptMax})`
const mostSql = `SELECT owner, sum(bytes)::bigint AS held FROM ${table} GROUP BY owner ORDER BY held DESC LIMIT 2`
/** The latest are kept, up to so many bytes. */
const trimSql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM
  (SELECT key, sum(bytes) OVER (ORDER BY at_ms DESC, key DESC) AS held FROM ${table} WHERE owner = $1) AS counted
  WHERE held > $2 LIMIT ${sweptMax})`

export function claimsOf(executor: Executor, bounds: KeptBounds): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
  return {
    async claimRequest(key, sinceMs) {
      const [claimed, done] = (await executor.first({ sql: claimSql, parameters: [key, sinceMs] })) ?? []
      if (done) return 'done'
      return claimed ? 'free' : 'running'
    },
    async keepRequest({ key, owner, print, answer, atMs }, sinceMs) {
      const bytes = rowBytes + Buffer.byteLength(answer)
      const parameters = [key, print, answer, atMs, bytes, sinceMs, owner]
      const isKept = (await executor.run({ sql: keepSql, parameters })) > 0
      if (isKept) bounds.kept(owner, bytes)
      return isKept
    },
  }
}

type Requests = {
  readonly find: Storage['findRequest']
  readonly bounds: KeptBounds
  /**
   * Removes what is too old, and where there is too much the oldest of the caller that has most.
   * Returns whether there may be more.
   */
  sweep(limits?: RequestLimits): Promise<boolean>
}

export function makeRequests(executor: Executor): Requests {
  const trim = async (owner: string, bytesMax: number) => executor.run({ sql: trimSql, parameters: [owner, bytesMax] })

  async function sweep({ ms, bytesMax }: RequestLimits = requestsKept): Promise<boolean> {
    const gone = await executor.run({ sql: oldSql, parameters: [Date.now() - ms] })
    const [all] = (await executor.first({ sql: bytesSql, parameters: [] })) as [number]
    if (all <= bytesMax) return gone >= sweptMax
    const [most, next] = (await executor.all({ sql: mostSql, parameters: [] })) as [string, number][]
    if (!most) return false // another process has swept meanwhile
    const [owner, held] = most
    // Down to what the next one has, or to what is enough
    const left = Math.max(held - (all - bytesMax), Math.min(next?.[1] ?? 0, held - 1))
    return (await trim(owner, left)) > 0
  }
  return {
    async find(key, sinceMs) {
      const cells = await executor.first({ sql: findSql, parameters: [key, sinceMs] })
      if (!cells) return undefined
      const [print, answer, atMs] = cells as [string, string, number]
      return { key, print, answer, atMs }
    },
    bounds: makeKeptBounds({ sweep, trim: (owner) => trim(owner, requestsKept.ownerBytesMax) }, requestsKept),
    sweep,
  }
}
