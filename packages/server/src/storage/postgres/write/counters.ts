/** Named counters that start again after their window, shared by all instances: one row each, incremented in one statement. */
import type { Executor } from '../../sql/reader.ts'
import type { Counter, Storage } from '../../storage.ts'

const upsertCounter = `
  INSERT INTO bindery_counters AS c (name, count, reset_at_ms) VALUES ($1, 1, $3)
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN c.reset_at_ms <= $2 THEN 1 ELSE c.count + 1 END,
    reset_at_ms = CASE WHEN c.reset_at_ms <= $2 THEN $3 ELSE c.reset_at_ms END
  RETURNING count, reset_at_ms`

export function makeCounters(executor: Executor): Pick<Storage, 'countUp' | 'readCounter' | 'clearCounter'> {
  return {
    async countUp(key, windowMs, nowMs) {
      const cells = (await executor.first({ sql: upsertCounter, parameters: [key, nowMs, nowMs + windowMs] })) as [
        number,
        number,
      ]
      // The request that opens a window sweeps old ones, skipping rows that another request is sweeping.
      if (cells[0] === 1) {
        const old = 'SELECT name FROM bindery_counters WHERE reset_at_ms <= $1 LIMIT 1000 FOR UPDATE SKIP LOCKED'
        await executor.run({ sql: `DELETE FROM bindery_counters WHERE name IN (${old})`, parameters: [nowMs] })
      }
      return { count: cells[0], resetAtMs: cells[1] }
    },
    async readCounter(key, nowMs): Promise<Counter> {
      const sql = 'SELECT count, reset_at_ms FROM bindery_counters WHERE name = $1 AND reset_at_ms > $2'
      const cells = (await executor.first({ sql, parameters: [key, nowMs] })) as [number, number] | undefined
      return cells ? { count: cells[0], resetAtMs: cells[1] } : { count: 0, resetAtMs: nowMs }
    },
    async clearCounter(key) {
      await executor.run({ sql: 'DELETE FROM bindery_counters WHERE name = $1', parameters: [key] })
    },
  }
}
