/**
 * Stores requests with an idempotency key. Transactions run one after another here, so a key is
 * either stored or free.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RetentionLimits } from '../../retention-limits.ts'
import { type RequestsDialect, requestsTable, rowBytes } from '../../sql/done-requests.ts'
import type { Executor } from '../../sql/reader.ts'
import type { DoneRequest, Transaction } from '../../storage.ts'
import { addMissingColumns } from './added-columns.ts'
import { effectDialect } from './effects-table.ts'

const table = requestsTable
const tableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, print TEXT NOT NULL, answer TEXT NOT NULL,
    at_ms INTEGER NOT NULL, bytes_so_far INTEGER NOT NULL) STRICT;
`
/**
 * Columns that were added later. A row of an earlier version has no owner, and counts as 0 bytes
 * until it is too old.
 */
const columns = { owner: "TEXT NOT NULL DEFAULT ''", bytes: 'INTEGER NOT NULL DEFAULT 0' }
const indexSql = `
  CREATE INDEX IF NOT EXISTS ${table}_owner ON ${table} (owner, number, bytes);
  CREATE INDEX IF NOT EXISTS ${table}_at_ms ON ${table} (at_ms);
`

const doneSql = `SELECT 1 FROM ${table} WHERE key = ? AND at_ms >= ?`
const keepSql = `INSERT OR REPLACE INTO ${table} (key, print, answer, at_ms, bytes_so_far, owner, bytes) VALUES (?, ?, ?, ?, 0, ?, ?)`

/** The latest have the highest numbers, which an index has with the owners. */
export const requestsDialect: RequestsDialect = {
  place: effectDialect.place,
  key: 'number',
  latestFirst: 'number DESC',
  oldest: 'WHERE at_ms < $1 ORDER BY at_ms',
  sweptMax: 2_000,
}

/** Creates the table, or adds the missing columns to one of an earlier version. */
export function makeRequestsTable(database: DatabaseSync): void {
  database.exec(tableSql)
  addMissingColumns(database, table, columns)
  database.exec(indexSql)
}

export function claimsOf(
  executor: Executor,
  bounds: RetentionLimits,
): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
  return {
    async claimRequest(key, sinceMs) {
      return (await executor.first({ sql: doneSql, parameters: [key, sinceMs] })) ? 'done' : 'free'
    },
    async keepRequest({ key, owner, print, answer, atMs }: DoneRequest) {
      const bytes = rowBytes + Buffer.byteLength(answer)
      await executor.run({ sql: keepSql, parameters: [key, print, answer, atMs, owner, bytes] })
      bounds.kept(owner, bytes)
      return true
    },
  }
}
