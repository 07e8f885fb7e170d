/**
 * Tables of the service itself that go with a copy. One is the queue of waiting and failed effects
 * (mails, webhooks). Leases are not copied: an effect that a process runs in the source waits in
 * the copy until that lease would have ended. Others have jobs, and the numbers that the engine
 * counts. The last says which moments of schedules are decided: those since then count as missed.
 */
import type { Catalog } from '../../resource/catalog.ts'
import { type ModelColumn, type ModelTable, modelOf } from '../model/model.ts'
import { schedulesTable } from '../schedules/stored-schedules.ts'
import { sql } from '../sql/kysely.ts'
import { numbersTable } from '../sql/number-series.ts'
import { effectsTable } from '../stored-effects.ts'
import { jobsTable } from '../stored-jobs.ts'
import type { CopyEndpoint } from './copy-rows.ts'

const column = (name: string, type: ModelColumn['type'], notNull = true): ModelColumn => ({ name, type, notNull })

const effectRows: ModelTable = {
  name: effectsTable,
  primaryKey: 'number',
  columns: [
    { ...column('number', 'integer'), counted: true },
    column('id', 'text'),
    column('kind', 'text'),
    column('key', 'text', false),
    column('in_order', 'integer'),
    column('state', 'text'),
    column('due_ms', 'integer'),
    column('tries', 'integer'),
    column('left_ms', 'integer'),
    column('payload', 'text'),
    column('error', 'text', false),
    column('context', 'text', false),
    column('steps', 'text', false),
  ],
  indexes: [],
}

const jobRows: ModelTable = {
  name: jobsTable,
  primaryKey: 'number',
  columns: [
    { ...column('number', 'integer'), counted: true },
    ...['id', 'name', 'line'].map((name) => column(name, 'text')),
    ...['user_id', 'tenant', 'queue', 'dedupe'].map((name) => column(name, 'text', false)),
    column('input', 'text'),
    ...['progress', 'result', 'refusal', 'outcome'].map((name) => column(name, 'text', false)),
    column('tries', 'integer'),
    column('added_ms', 'integer'),
    ...['started_ms', 'ended_ms'].map((name) => column(name, 'integer', false)),
  ],
  indexes: [],
}

const seriesRows: ModelTable = {
  name: numbersTable,
  primaryKey: 'series',
  columns: [column('series', 'text'), column('taken', 'integer')],
  indexes: [],
}

const scheduleRows: ModelTable = {
  name: schedulesTable,
  primaryKey: 'name',
  columns: [
    ...['name', 'cron', 'zone'].map((name) => column(name, 'text')),
    column('decided_ms', 'integer'),
    column('next_ms', 'integer', false),
    column('missed_at_ms', 'integer', false),
    column('missed', 'integer'),
    column('ended_ms', 'integer', false),
  ],
  indexes: [],
}

/** No resource may have the names of these tables. */
export const ownRows: readonly ModelTable[] = [effectRows, jobRows, seriesRows, scheduleRows]

export async function hasRows({ dialect, executor }: CopyEndpoint, table: string): Promise<boolean> {
  const { sql: text } = dialect.builder.selectFrom(table).select(sql.lit(1).as('one')).limit(sql.lit(1)).compile()
  return (await executor.first({ sql: text, parameters: [] })) !== undefined
}

type OwnRowsOptions = CopyEndpoint & {
  readonly catalog: Catalog
  /** The names of the columns of a table; none where it does not exist. */
  columnsOf(table: string): Promise<readonly unknown[]>
}

/**
 * The tables of a source: those of the model, and those of its own that have rows. Databases of
 * earlier versions lack some of these tables, and some of their columns.
 */
export async function tablesOf({ catalog, columnsOf, ...end }: OwnRowsOptions): Promise<readonly ModelTable[]> {
  const tables = [...modelOf(catalog).tables]
  for (const own of ownRows) {
    const there = await columnsOf(own.name)
    const columns = own.columns.filter(({ name }) => there.includes(name))
    if (columns.length > 0 && (await hasRows(end, own.name))) tables.push({ ...own, columns })
  }
  return tables
}
