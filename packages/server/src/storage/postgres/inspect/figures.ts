/**
 * Figures of the database for operators: its size, its connections, and the lag of the change log.
 */
import type pg from 'pg'
import { gauge, type MetricFamily, shared } from '../../../observe/metric-family.ts'
import type { Executor } from '../../sql/reader.ts'

type FiguresDeps = {
  readonly pools: { readonly work: pg.Pool; readonly urgent: pg.Pool }
  readonly executor: Executor
  lagMs(): number
}

/** The interval between two reads of the size, which opens every file. */
const sizeEveryMs = 15_000

export function makeFigures({ pools, executor, lagMs }: FiguresDeps): () => Promise<MetricFamily[]> {
  let askedMs = Number.NEGATIVE_INFINITY
  let bytes: Promise<number> = Promise.resolve(0)

  async function askSize(): Promise<number> {
    const cells = await executor.first({ sql: 'SELECT pg_database_size(current_database())', parameters: [] })
    return Number(cells?.[0] ?? 0)
  }
  function sizeNow(): Promise<number> {
    const nowMs = performance.now()
    if (nowMs - askedMs > sizeEveryMs) {
      askedMs = nowMs
      bytes = askSize()
    }
    return bytes
  }
  function poolSamples(): Extract<MetricFamily, { kind: 'gauge' | 'counter' }>['samples'] {
    const { work, urgent } = pools
    return Object.entries({ work, urgent }).flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
      { labels: { pool, state: 'used' }, value: totalCount - idleCount },
      { labels: { pool, state: 'idle' }, value: idleCount },
      { labels: { pool, state: 'waiting' }, value: waitingCount },
    ])
  }

  return async () => {
    const own: MetricFamily[] = [
      gauge(
        'bindery_pool_connections',
        'Connections of a pool in use and idle, and requests that wait for one.',
        poolSamples(),
      ),
      shared(
        'bindery_change_log_lag_seconds',
        'For how long this process may not know what other instances wrote.',
        lagMs() / 1000,
      ),
    ]
    const size = await sizeNow().catch(() => undefined)
    if (size === undefined) return own
    const help = 'Size of the database; of SQLite, of its file and of its log.'
    const samples = [{ labels: { part: 'data' }, value: size }]
    return [...own, shared('bindery_database_bytes', help, samples)]
  }
}
