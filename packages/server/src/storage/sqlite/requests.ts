/**
 * Requests that were done under a key of their client's choice. Transactions come one after another here, so that a key is either kept or
 * free when one looks. Each row knows how many bytes came before it: the first and the last tell how much all of them take.
 */
import type { Executor } from '../sql/reader.ts'
import { type DoneRequest, type RequestLimits, requestsKept, type Storage, type Transaction } from '../storage.ts'
import type { Connection } from './connection.ts'
import type { Queue } from './queue.ts'

const table = 'bindery_requests'
export const requestsTableSql = `
  CREATE TABLE IF NOT EXISTS ${table} (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, print TEXT NOT NULL, answer TEXT NOT NULL,
    at_ms INTEGER NOT NULL, bytes_so_far INTEGER NOT NULL) STRICT;
`
/** What a row takes besides its answer: its digests, its place in both trees. */
const rowBytes = 250
const sweptMax = 2_000

const findSql = `SELECT print, answer, at_ms FROM ${table} WHERE key = ? AND at_ms >= ?`
const keepSql = `INSERT OR REPLACE INTO ${table} (key, print, answer, at_ms, bytes_so_far)
  VALUES (?, ?, ?, ?, ? + coalesce((SELECT bytes_so_far FROM ${table} ORDER BY number DESC LIMIT 1), 0))`
const firstSql = `SELECT number, bytes_so_far FROM ${table} ORDER BY number LIMIT 1`
const lastSql = `SELECT number, bytes_so_far FROM ${table} ORDER BY number DESC LIMIT 1`
const sweepSql = `DELETE FROM ${table} WHERE number <= ? AND (at_ms < ? OR bytes_so_far - octet_length(answer) - ${rowBytes} < ?)`

export function claimsOf(executor: Executor): Pick<Transaction, 'claimRequest' | 'keepRequest'> {
  return {
    async claimRequest(key, sinceMs) {
      return (await executor.first({ sql: findSql, parameters: [key, sinceMs] })) ? 'done' : 'free'
    },
    async keepRequest({ key, print, answer, atMs }: DoneRequest) {
      const bytes = rowBytes + Buffer.byteLength(answer)
      await executor.run({ sql: keepSql, parameters: [key, print, answer, atMs, bytes] })
      return true
    },
  }
}

type Parts = { readonly writer: Connection; readonly reader: Executor; readonly queue: Queue }
type Requests = { readonly find: Storage['findRequest']; sweep(): Promise<boolean> }

/** Removes what is too old, and the oldest where there is too much. Returns whether there may be more. */
export function sweepRequests(writer: Connection, { ms, bytesMax }: RequestLimits = requestsKept): boolean {
  const [first = 0] = (writer.first({ sql: firstSql, parameters: [] }) ?? []) as number[]
  const [, last = 0] = (writer.first({ sql: lastSql, parameters: [] }) ?? []) as number[]
  const parameters = [first + sweptMax, Date.now() - ms, last - bytesMax]
  return writer.run({ sql: sweepSql, parameters }) >= sweptMax
}

export function makeRequests({ writer, reader, queue }: Parts): Requests {
  return {
    async find(key, sinceMs) {
      const cells = await reader.first({ sql: findSql, parameters: [key, sinceMs] })
      if (!cells) return undefined
      const [print, answer, atMs] = cells as [string, string, number]
      return { key, print, answer, atMs }
    },
    sweep: () => queue.write(async () => sweepRequests(writer)),
  }
}
