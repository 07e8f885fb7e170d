/**
 * Requests that were done under a key of their client's choice. A lock of the transaction says that one is running, on whatever instance;
 * the row says that it is done.
 */
import type { Executor } from '../sql/reader.ts'
import { type RequestLimits, requestsKept, type Storage, type Transaction } from '../storage.ts'

const table = 'bindery_requests'
export const requestsTableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, print text COLLATE "C" NOT NULL, answer text COLLATE "C" NOT NULL,
    at_ms bigint NOT NULL, bytes bigint NOT NULL);
  CREATE INDEX IF NOT EXISTS ${table}_at_ms_idx ON ${table} (at_ms, bytes);
`
/** What a row takes besides its answer: its digests, its place in both trees. */
const rowBytes = 250
const sweptMax = 5_000

const findSql = `SELECT print, answer, at_ms FROM ${table} WHERE key = $1 AND at_ms >= $2`
/** What another transaction commits between the two halves is found by the statement that keeps the request. */
const claimSql = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)),
  EXISTS (SELECT 1 FROM ${table} WHERE key = $1 AND at_ms >= $2)`
const keepSql = `INSERT INTO ${table} AS r (key, print, answer, at_ms, bytes) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (key) DO UPDATE SET print = excluded.print, answer = excluded.answer, at_ms = excluded.at_ms, bytes = excluded.bytes
  WHERE r.at_ms < $6`
const bytesSql = `SELECT coalesce(sum(bytes), 0)::bigint FROM ${table}`
/** The oldest, up to so many bytes. */
const sweepSql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM
  (SELECT key, at_ms, sum(bytes) OVER (ORDER BY at_ms, key) - bytes AS before
    FROM (SELECT key, at_ms, bytes FROM ${table} ORDER BY at_ms, key LIMIT $3) AS oldest) AS counted
  WHERE at_ms < $1 OR before < $2)`

export function claimsOf(executor: Executor): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
  return {
    async claimRequest(key, sinceMs) {
      const [claimed, done] = (await executor.first({ sql: claimSql, parameters: [key, sinceMs] })) ?? []
      if (done) return 'done'
      return claimed ? 'free' : 'running'
    },
    async keepRequest({ key, print, answer, atMs }, sinceMs) {
      const bytes = rowBytes + Buffer.byteLength(answer)
      return (await executor.run({ sql: keepSql, parameters: [key, print, answer, atMs, bytes, sinceMs] })) > 0
    },
  }
}

type Requests = {
  readonly find: Storage['findRequest']
  /** Removes what is too old, and the oldest where there is too much. Returns whether there may be more. */
  sweep(limits?: RequestLimits): Promise<boolean>
}

export function makeRequests(executor: Executor): Requests {
  return {
    async find(key, sinceMs) {
      const cells = await executor.first({ sql: findSql, parameters: [key, sinceMs] })
      if (!cells) return undefined
      const [print, answer, atMs] = cells as [string, string, number]
      return { key, print, answer, atMs }
    },
    async sweep({ ms, bytesMax } = requestsKept) {
      const [bytes] = (await executor.first({ sql: bytesSql, parameters: [] })) as [number]
      const parameters = [Date.now() - ms, bytes - bytesMax, sweptMax]
      return (await executor.run({ sql: sweepSql, parameters })) >= sweptMax
    },
  }
}
