/** Named counters that start again after their window: one row each, incremented in one statement. */
import type { Counter, Storage } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { Queue } from './queue.ts'

const upsertCounter = `
  INSERT INTO bindery_counters (name, count, reset_at_ms) VALUES (?1, 1, ?3)
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN reset_at_ms <= ?2 THEN 1 ELSE count + 1 END,
    reset_at_ms = CASE WHEN reset_at_ms <= ?2 THEN ?3 ELSE reset_at_ms END
  RETURNING count, reset_at_ms`

export function makeCounters(
  writer: Connection,
  queue: Queue,
): Pick<Storage, 'countUp' | 'readCounter' | 'clearCounter'> {
  return {
    countUp: (key, windowMs, nowMs) =>
      queue.write(async () => {
        writer.run({ sql: 'DELETE FROM bindery_counters WHERE reset_at_ms <= ?', parameters: [nowMs] })
        const cells = writer.first({ sql: upsertCounter, parameters: [key, nowMs, nowMs + windowMs] }) as [
          number,
          number,
        ]
        return { count: cells[0], resetAtMs: cells[1] }
      }),
    async readCounter(key, nowMs): Promise<Counter> {
      const sql = 'SELECT count, reset_at_ms FROM bindery_counters WHERE name = ? AND reset_at_ms > ?'
      const cells = writer.first({ sql, parameters: [key, nowMs] }) as [number, number] | undefined
      return cells ? { count: cells[0], resetAtMs: cells[1] } : { count: 0, resetAtMs: nowMs }
    },
    clearCounter: (key) =>
      queue.write(async () => {
        writer.run({ sql: 'DELETE FROM bindery_counters WHERE name = ?', parameters: [key] })
      }),
  }
}
