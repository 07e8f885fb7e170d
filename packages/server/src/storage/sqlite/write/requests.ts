/**
 * Requests that were done under a key of their client's choice. Transactions come one after another
 * here, so that a key is either kept or free when one looks.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RetentionLimits } from '../../retention-limits.ts'
import { type RequestsDialect, requestsTable, rowBytes } from '../../sql/done-requests.ts'
import type { Executor } from '../../sql/reader.ts'
import type { DoneRequest, Transaction } from '../../storage.ts'
import { effectDialect } from './effects-table.ts'

const table = requestsTable
const tableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, print TEXT NOT NULL, answer TEXT NOT NULL,
    at_ms INTEGER NOT NULL, bytes_so_far INTEGER NOT NULL) STRICT;
`
/**
 * Columns that came later. A row of an earlier version belongs to nobody, and counts as nothing
 * until it is too old.
 */
const columns = { owner: "TEXT NOT NULL DEFAULT ''", bytes: 'INTEGER NOT NULL DEFAULT 0' }
const indexSql = `CREATE INDEX IF NOT EXISTS ${table}_owner ON ${table} (owner, number, bytes)`

const doneSql = `SELECT 1 FROM ${table} WHERE key = ? AND at_ms >= ?`
const keepSql = `INSERT OR REPLACE INTO ${table} (key, print, answer, at_ms, bytes_so_far, owner, bytes) VALUES (?, ?, ?, ?, 0, ?, ?)`

/** In the order of their numbers, which an index has with the owners. */
export const requestsDialect: RequestsDialect = {
  place: effectDialect.place,
  key: 'number',
  latestFirst: 'number DESC',
  oldest: 'ORDER BY number',
  sweptMax: 2_000,
}

/** Makes the table, or gives one of an earlier version what it lacks. */
export function makeRequestsTable(database: DatabaseSync): void {
  database.exec(tableSql)
  const there = new Set(
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name),
  )
  for (const [name, type] of Object.entries(columns))
    if (!there.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
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
