/**
 * One database into another, whatever both are: every table of the model in the order of its references, its rows by id, as they are
 * stored. Then both are compared. Whoever opens the ends sees to it that nobody writes to either, and that nothing stays of half a copy.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { ApiError, StartError } from '../../errors.ts'
import type { Model, Table } from '../model/model.ts'
import type { Statement } from '../sql/statements.ts'
import { type Batch, batchesOf, type CopyEnd, idOf, makeInsert, makeSum, type Sum } from './copy-rows.ts'

/** A database that is read, in one view of it. */
export type CopySource = CopyEnd & {
  /** The highest id that was ever counted in this table, also of a row that is gone; 0 when none was. */
  lastId(table: Table): Promise<number>
}
/** A database in a transaction of its own; what is thrown undoes it. */
export type CopyTarget = CopyEnd & {
  /** The next counted id of the table is behind this one. */
  countBehind(table: Table, id: number): Promise<void>
}

export type Copied = { readonly table: string; readonly source: Sum; readonly target: Sum }
export type CopyWatch = {
  /** Rows in the source. */
  began(rows: number): Promise<void>
  copied(rows: number): void
  compared(rows: number): void
  /** Ends it at the next batch, with its reason thrown. */
  readonly stop: AbortSignal
}

/** What was written is not what was read. */
export class CopyError extends StartError {
  readonly tables: readonly Copied[]

  constructor(tables: readonly Copied[]) {
    const differing = tables.filter((one) => !isSame(one)).map(({ table }) => table)
    super(
      `The copy differs from its source in ${differing.join(', ')}, and nothing of it was kept. ` +
        'Look for triggers or rules on the target that change what is written, or take a new database',
    )
    this.name = 'CopyError'
    this.tables = tables
  }
}

export function isSame({ source, target }: Copied): boolean {
  return source.rows === target.rows && source.checksum === target.checksum
}

async function write(target: CopyTarget, table: Table, { batch, statement }: { batch: Batch; statement: Statement }) {
  try {
    await target.executor.run(statement)
  } catch (error) {
    if (error instanceof StartError || error instanceof ApiError) throw error
    const [first, last] = [batch.rows.at(0), batch.rows.at(-1)].map((row) => row && idOf(table, row))
    throw new StartError(
      `The target refuses ${table.name} with ids from ${first} to ${last}: ${(error as Error).message}. ` +
        'Nothing of the copy was kept; mend the source, then run it again',
    )
  }
}

type Ends = { readonly source: CopySource; readonly target: CopyTarget }

function isCounted(table: Table): boolean {
  return table.columns.some(({ counted }) => counted)
}

async function copyTable({ source, target }: Ends, table: Table, watch: CopyWatch): Promise<Sum & { lastId: number }> {
  const sum = makeSum()
  let lastId: unknown
  const insert = makeInsert(target.dialect, table)
  for await (const batch of batchesOf(source, table)) {
    await write(target, table, { batch, statement: insert(batch) })
    sum.add(batch)
    lastId = idOf(table, batch.rows.at(-1) ?? [])
    watch.copied(batch.rows.length)
    await breathe() // the embedded store answers at once: a Ctrl-C must get through
    watch.stop.throwIfAborted()
  }
  return { ...sum.end(), lastId: typeof lastId === 'number' ? lastId : 0 }
}

async function sumOf(end: CopyEnd, table: Table, watch: CopyWatch): Promise<Sum> {
  const sum = makeSum()
  for await (const batch of batchesOf(end, table)) {
    sum.add(batch)
    watch.compared(batch.rows.length)
    await breathe()
    watch.stop.throwIfAborted()
  }
  return sum.end()
}

async function countOf({ dialect, executor }: CopyEnd, table: Table): Promise<number> {
  const query = dialect.builder.selectFrom(table.name).select((eb) => eb.fn.countAll().as('count'))
  return (await executor.first({ sql: query.compile().sql, parameters: [] }))?.[0] as number
}

/** Copies and compares. Throws `CopyError` when the comparison fails, and whatever stopped it. */
export async function copyTables(model: Model, ends: Ends, watch: CopyWatch): Promise<readonly Copied[]> {
  let total = 0
  for (const table of model.tables) total += await countOf(ends.source, table)
  await watch.began(total)
  const read = new Map<Table, Sum & { lastId: number }>()
  for (const table of model.tables) read.set(table, await copyTable(ends, table, watch))
  const tables: Copied[] = []
  for (const [table, { rows, checksum }] of read)
    tables.push({ table: table.name, source: { rows, checksum }, target: await sumOf(ends.target, table, watch) })
  if (!tables.every(isSame)) throw new CopyError(tables)
  // Last: a sequence of PostgreSQL keeps what it was set to also when all of this is undone
  for (const [table, { lastId }] of read) {
    const last = isCounted(table) ? Math.max(lastId, await ends.source.lastId(table)) : 0
    if (last > 0) await ends.target.countBehind(table, last)
  }
  return tables
}
