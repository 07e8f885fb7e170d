/** The rows of schedules, the same in every database but for the types of their columns. */
import type { EffectDialect } from '../sql/effect-statements.ts'
import type { Executor } from '../sql/reader.ts'
import {
  type ScheduleMove,
  type ScheduleWriter,
  type StoredSchedule,
  type StoredSchedules,
  schedulesTable as t,
} from './stored-schedules.ts'

type ColumnTypes = { readonly text: string; readonly integer: string; readonly end?: string }

/** `text`, `integer`: the types of the database. */
export function schedulesTableSql({ text, integer, end = '' }: ColumnTypes): string {
  return `CREATE TABLE IF NOT EXISTS ${t} (name ${text} PRIMARY KEY, cron ${text} NOT NULL, zone ${text} NOT NULL,
    decided_ms ${integer} NOT NULL, next_ms ${integer}, missed_at_ms ${integer}, missed ${integer} NOT NULL, ended_ms ${integer})${end};`
}

const columns = 'name, cron, zone, decided_ms, next_ms, missed_at_ms, missed, ended_ms'
const statements = {
  list: `SELECT ${columns} FROM ${t} ORDER BY name`,
  insert: `INSERT INTO ${t} (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL) ON CONFLICT (name) DO NOTHING`,
  /** Only while the row is as it was read. */
  move: `UPDATE ${t} SET cron = $2, zone = $3, decided_ms = $4, next_ms = $5, missed_at_ms = $6, missed = $7
    WHERE name = $1 AND decided_ms = $8 AND cron = $9 AND zone = $10`,
  noteEnd: `UPDATE ${t} SET ended_ms = $2 WHERE name = $1 AND coalesce(ended_ms, 0) < $2`,
  forget: `DELETE FROM ${t} WHERE name = $1`,
}

type Cells = [string, string, string, number, number | null, number | null, number, number | null]

function readSchedule(cells: readonly unknown[]): StoredSchedule {
  const [name, cron, zone, decidedMs, nextMs, missedAtMs, missed, endedMs] = cells as Cells
  return { name, cron, zone, decidedMs, nextMs, missedAtMs, missed, endedMs }
}

const valuesOf = ({ name, cron, zone, decidedMs, nextMs, missedAtMs, missed }: StoredSchedule) => {
  return [name, cron, zone, decidedMs, nextMs, missedAtMs, missed]
}

type Placing = Pick<EffectDialect, 'place'>

export function movingSchedules({ place }: Placing, executor: Executor): ScheduleWriter {
  return {
    async moveSchedule({ before, after }: ScheduleMove) {
      const statement = before
        ? { sql: statements.move, parameters: [...valuesOf(after), before.decidedMs, before.cron, before.zone] }
        : { sql: statements.insert, parameters: valuesOf(after) }
      return (await executor.run({ ...statement, sql: place(statement.sql) })) > 0
    },
  }
}

/** All of them by name, also on the connection of the doctor. */
export async function listSchedules(executor: Executor): Promise<readonly StoredSchedule[]> {
  return (await executor.all({ sql: statements.list, parameters: [] })).map(readSchedule)
}

type ScheduleRowsDeps = {
  readonly dialect: Placing
  readonly reads: Executor
  readonly write: (work: (executor: Executor) => Promise<unknown>) => Promise<unknown>
}

export function makeStoredSchedules({ dialect: { place }, reads, write }: ScheduleRowsDeps): StoredSchedules {
  const run = async (sql: string, ...parameters: unknown[]) => {
    await write((executor) => Promise.resolve(executor.run({ sql: place(sql), parameters })))
  }
  return {
    list: () => listSchedules(reads),
    noteEnd: (name, nowMs) => run(statements.noteEnd, name, nowMs),
    forget: (name) => run(statements.forget, name),
  }
}
