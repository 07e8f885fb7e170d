/**
 * Requests that were done under a key of their client's choice. Transactions come one after another here, so that a key is either kept or
 * free when one looks.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type KeptBounds, makeKeptBounds } from '../../kept-bounds.ts'
import type { Executor } from '../../sql/reader.ts'
import { type DoneRequest, type RequestLimits, requestsKept, type Storage, type Transaction } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { Queue } from './queue.ts'

const table = 'bindery_requests'
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
/** Bytes of a row besides its answer: its digests, its place in the trees. */
const rowBytes = 300
const sweptMax = 2_000

const findSql = `SELECT print, answer, at_ms FROM ${table} WHERE key = ? AND at_ms >= ?`
const keepSql = `INSERT OR REPLACE INTO ${table} (key, print, answer, at_ms, bytes_so_far, owner, bytes) VALUES (?, ?, ?, ?, 0, ?, ?)`
const oldSql = `DELETE FROM ${table} WHERE at_ms < ? AND number IN (SELECT number FROM ${table} ORDER BY number LIMIT ${sweptMax})`
const mostSql = `SELECT owner, sum(bytes) AS held FROM ${table} GROUP BY owner ORDER BY held DESC LIMIT 2`
const allSql = `SELECT coalesce(sum(bytes), 0) FROM ${table}`
/** The latest are kept, up to so many bytes. */
const trimSql = `DELETE FROM ${table} WHERE number IN (SELECT number FROM
  (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS held FROM ${table} WHERE owner = ?) WHERE held > ? LIMIT ${sweptMax})`

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

export function claimsOf(executor: Executor, bounds: KeptBounds): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
  return {
    async claimRequest(key, sinceMs) {
      return (await executor.first({ sql: findSql, parameters: [key, sinceMs] })) ? 'done' : 'free'
    },
    async keepRequest({ key, owner, print, answer, atMs }: DoneRequest) {
      const bytes = rowBytes + Buffer.byteLength(answer)
      await executor.run({ sql: keepSql, parameters: [key, print, answer, atMs, owner, bytes] })
      bounds.kept(owner, bytes)
      return true
    },
  }
}

type Parts = { readonly writer: Connection; readonly reader: Executor; readonly queue: Queue }
type Requests = { readonly find: Storage['findRequest']; readonly bounds: KeptBounds; sweep(): Promise<boolean> }

function trim(writer: Connection, owner: string, bytesMax: number): number {
  return writer.run({ sql: trimSql, parameters: [owner, bytesMax] })
}

/**
 * Removes what is too old, and where there is too much the oldest of the caller that has most.
 * Returns whether there may be more.
 */
export function sweepRequests(writer: Connection, { ms, bytesMax }: RequestLimits = requestsKept): boolean {
  const gone = writer.run({ sql: oldSql, parameters: [Date.now() - ms] })
  const [all = 0] = (writer.first({ sql: allSql, parameters: [] }) ?? []) as number[]
  if (all <= bytesMax) return gone >= sweptMax
  const [most, next] = writer.all({ sql: mostSql, parameters: [] }) as [string, number][]
  const [owner, held] = most as [string, number]
  // Down to what the next one has, or to what is enough
  const left = Math.max(held - (all - bytesMax), Math.min(next?.[1] ?? 0, held - 1))
  return trim(writer, owner, left) > 0
}

export function makeRequests({ writer, reader, queue }: Parts): Requests {
  const sweep = () => queue.write(async () => sweepRequests(writer))
  const { ownerBytesMax } = requestsKept
  return {
    async find(key, sinceMs) {
      const cells = await reader.first({ sql: findSql, parameters: [key, sinceMs] })
      if (!cells) return undefined
      const [print, answer, atMs] = cells as [string, string, number]
      return { key, print, answer, atMs }
    },
    bounds: makeKeptBounds(
      { sweep, trim: (owner) => queue.write(async () => trim(writer, owner, ownerBytesMax)) },
      requestsKept,
    ),
    sweep,
  }
}
