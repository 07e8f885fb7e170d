/**
 * Stores requests with an idempotency key. An advisory lock of the transaction shows that one is
 * running on any instance; the row shows that it is done.
 */
import type { RetentionLimits } from '../../retention-limits.ts'
import { type RequestsDialect, requestsTable, rowBytes } from '../../sql/done-requests.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Transaction } from '../../storage.ts'
import { effectDialect } from './effects-table.ts'

const table = requestsTable
export const requestsTableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, print text COLLATE "C" NOT NULL, answer text COLLATE "C" NOT NULL,
    at_ms bigint NOT NULL, bytes bigint NOT NULL);
  CREATE INDEX IF NOT EXISTS ${table}_at_ms_idx ON ${table} (at_ms, bytes);
  ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS owner text COLLATE "C" NOT NULL DEFAULT '';
  CREATE INDEX IF NOT EXISTS ${table}_owner_idx ON ${table} (owner, at_ms, key, bytes);
`

/**
 * Another transaction may commit between the two parts; the statement that stores the request finds
 * that.
 */
const claimSql = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)),
  EXISTS (SELECT 1 FROM ${table} WHERE key = $1 AND at_ms >= $2)`
const keepSql = `INSERT INTO ${table} AS r (key, print, answer, at_ms, bytes, owner) VALUES ($1, $2, $3, $4, $5, $7)
  ON CONFLICT (key) DO UPDATE SET print = excluded.print, answer = excluded.answer, at_ms = excluded.at_ms, bytes = excluded.bytes,
    owner = excluded.owner
  WHERE r.at_ms < $6`

export const requestsDialect: RequestsDialect = {
  place: effectDialect.place,
  key: 'key',
  latestFirst: 'at_ms DESC, key DESC',
  oldest: 'WHERE at_ms < $1 ORDER BY at_ms',
  sweptMax: 5_000,
}

export function claimsOf(
  executor: Executor,
  bounds: RetentionLimits,
): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
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
