/**
 * Named counters that restart after their window, shared by all processes. Each is one row, and one
 * statement increments it.
 */
import type { Storage, StoredCounter } from '../storage.ts'
import type { EffectDialect } from './effect-statements.ts'
import type { Executor } from './reader.ts'
import type { Statement } from './statements.ts'

const upsertSql = `
  INSERT INTO bindery_counters AS c (name, count, reset_at_ms) VALUES ($1, 1, $3)
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN c.reset_at_ms <= $2 THEN 1 ELSE c.count + 1 END,
    reset_at_ms = CASE WHEN c.reset_at_ms <= $2 THEN $3 ELSE c.reset_at_ms END
  RETURNING count, reset_at_ms`
const oldSql = 'SELECT name FROM bindery_counters WHERE reset_at_ms <= $1 LIMIT 1000'
const readSql = 'SELECT count, reset_at_ms FROM bindery_counters WHERE name = $1 AND reset_at_ms > $2'

type CountersDeps = {
  readonly dialect: Pick<EffectDialect, 'place' | 'lock'>
  readonly reads: Executor
  readonly write: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>
}
type CounterCells = [count: number, resetAtMs: number]

function counterOf([count, resetAtMs]: CounterCells): StoredCounter {
  return { count, resetAtMs }
}

/**
 * Counts in a transaction, which holds the row until it ends and takes the count back when it is
 * rolled back. `first` runs a statement that writes.
 */
export function countingIn(
  { place }: Pick<EffectDialect, 'place'>,
  first: (statement: Statement) => Promise<readonly unknown[] | undefined>,
): Storage['countUp'] {
  return async (key, windowMs, nowMs) =>
    counterOf((await first({ sql: place(upsertSql), parameters: [key, nowMs, nowMs + windowMs] })) as CounterCells)
}

export function makeCounters({
  dialect: { place, lock },
  reads,
  write,
}: CountersDeps): Pick<Storage, 'countUp' | 'readCounter' | 'clearCounter'> {
  const [upsert, read, clear] = [upsertSql, readSql, 'DELETE FROM bindery_counters WHERE name = $1'].map(place) as [
    string,
    string,
    string,
  ]
  const sweep = place(`DELETE FROM bindery_counters WHERE name IN (${oldSql}${lock})`)
  return {
    countUp: (key, windowMs, nowMs) =>
      write(async ({ first, run }) => {
        const cells = (await first({ sql: upsert, parameters: [key, nowMs, nowMs + windowMs] })) as CounterCells
        // The request that opens a window sweeps old ones, and skips rows that another one sweeps.
        if (cells[0] === 1) await run({ sql: sweep, parameters: [nowMs] })
        return counterOf(cells)
      }),
    async readCounter(key, nowMs): Promise<StoredCounter> {
      const cells = (await reads.first({ sql: read, parameters: [key, nowMs] })) as CounterCells | undefined
      return cells ? counterOf(cells) : { count: 0, resetAtMs: nowMs }
    },
    clearCounter: (key) => write(async ({ run }) => void (await run({ sql: clear, parameters: [key] }))),
  }
}
