/**
 * Finds and sweeps the rows of done requests (idempotency keys). Each database has its own way to
 * claim a key.
 */
import { makeRetentionLimits, type RetentionLimits } from '../retention-limits.ts'
import { type RequestLimits, requestsKept, type Storage } from '../storage.ts'
import type { Executor } from './reader.ts'

export const requestsTable = 'bindery_requests'
/** Bytes of a row besides its response: its digests and its index entries. */
export const rowBytes = 300

export type RequestsDialect = {
  /** `$1` → the parameter in the database's syntax. */
  place(sql: string): string
  /** The column that names a row. */
  readonly key: string
  /** The order of the rows, the latest first, which an index has. */
  readonly latestFirst: string
  /** The oldest rows, from before `$1` or any. */
  readonly oldest: string
  /** The most rows that one sweep removes. */
  readonly sweptMax: number
}

type DoneRequestsDeps = {
  readonly dialect: RequestsDialect
  readonly reads: Executor
  readonly write: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>
}

export type DoneRequests = {
  readonly find: Storage['findRequest']
  readonly bounds: RetentionLimits
  /**
   * Removes rows that are too old. Above the size limit it removes the oldest rows of the caller
   * with the most. Returns whether there may be more.
   */
  sweep(limits?: RequestLimits): Promise<boolean>
}

export function makeDoneRequests({ dialect, reads, write }: DoneRequestsDeps): DoneRequests {
  const { place, key, latestFirst, oldest, sweptMax } = dialect
  const findSql = place(`SELECT print, answer, at_ms FROM ${requestsTable} WHERE key = $1 AND at_ms >= $2`)
  const allSql = `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM ${requestsTable}`
  const mostSql = `SELECT owner, CAST(sum(bytes) AS bigint) AS held FROM ${requestsTable} GROUP BY owner ORDER BY held DESC LIMIT 2`
  const oldSql = place(
    `DELETE FROM ${requestsTable} WHERE at_ms < $1 AND ${key} IN (SELECT ${key} FROM ${requestsTable} ${oldest} LIMIT ${sweptMax})`,
  )
  /** Keeps the latest rows, up to this many bytes. */
  const trimSql = place(`DELETE FROM ${requestsTable} WHERE ${key} IN (SELECT ${key} FROM
    (SELECT ${key}, sum(bytes) OVER (ORDER BY ${latestFirst}) AS held FROM ${requestsTable} WHERE owner = $1) AS counted
    WHERE held > $2 LIMIT ${sweptMax})`)

  const trim = async ({ run }: Executor, owner: string, bytesMax: number) =>
    run({ sql: trimSql, parameters: [owner, bytesMax] })

  const sweep = ({ ms, bytesMax }: RequestLimits = requestsKept) =>
    write(async (executor) => {
      const gone = await executor.run({ sql: oldSql, parameters: [Date.now() - ms] })
      const [all] = (await executor.first({ sql: allSql, parameters: [] })) as [number]
      if (all <= bytesMax) return gone >= sweptMax
      const [most, next] = (await executor.all({ sql: mostSql, parameters: [] })) as [string, number][]
      if (!most) return false // another process has swept meanwhile
      const [owner, held] = most
      // Down to the next caller's size, or to the limit
      const left = Math.max(held - (all - bytesMax), Math.min(next?.[1] ?? 0, held - 1))
      return (await trim(executor, owner, left)) > 0
    })

  return {
    async find(key, sinceMs) {
      const cells = await reads.first({ sql: findSql, parameters: [key, sinceMs] })
      if (!cells) return undefined
      const [print, answer, atMs] = cells as [string, string, number]
      return { key, print, answer, atMs }
    },
    bounds: makeRetentionLimits(
      { sweep, trim: (owner) => write((executor) => trim(executor, owner, requestsKept.ownerBytesMax)) },
      requestsKept,
    ),
    sweep,
  }
}
