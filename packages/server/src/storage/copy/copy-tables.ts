/**
 * Copies a database or a file into a database of any kind, table by table, rows by id, in their
 * stored form. Then it compares both. The target's own module keeps other writers out, and rolls an
 * incomplete copy back.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { ApiError, StartError } from '../../errors.ts'
import { countedIdMax } from '../../resource/fields/id.ts'
import type { ModelTable } from '../model/model.ts'
import type { Statement } from '../sql/statements.ts'
import {
  batchesOf,
  type CopyBatch,
  type CopyEndpoint,
  countOf,
  idOf,
  makeInsert,
  makeTableChecksum,
  type TableChecksum,
} from './copy-rows.ts'

/** The source of a copy, as it was at one moment. */
export type CopySource = {
  /** Every table of the model once, in the order in which the caller must call `batches`. */
  readonly tables: readonly ModelTable[]
  rows(table: ModelTable): Promise<number>
  /** Every row by id. */
  batches(table: ModelTable): AsyncIterable<CopyBatch>
  /** The highest id ever generated in this table, even for a deleted row; 0 when there was none. */
  lastId(table: ModelTable): Promise<number>
}
type DatabaseSource = CopyEndpoint & Pick<CopySource, 'tables' | 'lastId'>

export function sourceOf({ dialect, executor, tables, lastId }: DatabaseSource): CopySource {
  const end = { dialect, executor }
  return { tables, lastId, rows: (table) => countOf(end, table), batches: (table) => batchesOf(end, table) }
}

/** The target, in a transaction of its own; an error rolls it back. */
export type CopyTarget = CopyEndpoint & {
  /** Makes the next generated id of the table higher than this one. */
  countBehind(table: ModelTable, id: number): Promise<void>
}

export type CopiedTable = { readonly table: string; readonly source: TableChecksum; readonly target: TableChecksum }
export type CopyListener = {
  /** Rows in the source. */
  began(rows: number): Promise<void>
  copied(rows: number): void
  compared(rows: number): void
  /** Stops the copy at the next batch by throwing its reason. */
  readonly stop: AbortSignal
}

/** The rows in the target differ from those in the source. */
export class CopyError extends StartError {
  readonly tables: readonly CopiedTable[]

  constructor(tables: readonly CopiedTable[]) {
    const differing = tables.filter((one) => !isSame(one)).map(({ table }) => table)
    super(
      `The copy differs from its source in ${differing.join(', ')}, and nothing of it was kept. ` +
        'Look for triggers or rules on the target that change what is written, or take a new database',
    )
    this.name = 'CopyError'
    this.tables = tables
  }
}

function isSame({ source, target }: CopiedTable): boolean {
  return source.rows === target.rows && source.checksum === target.checksum
}

async function write(
  target: CopyTarget,
  table: ModelTable,
  { batch, statement }: { batch: CopyBatch; statement: Statement },
) {
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

/**
 * The same source. It throws `StartError` at an id that leaves no higher id for the table's
 * counter. Earlier versions imported such ids, and other programs write them.
 */
export function withinCounters<S extends CopySource>(source: S): S {
  async function* batches(table: ModelTable): AsyncGenerator<CopyBatch> {
    for await (const batch of source.batches(table)) {
      const ids = isCounted(table) ? batch.rows.map((row) => Number(idOf(table, row))) : []
      const wrong = ids.find((id) => !(id >= 1 && id <= countedIdMax))
      if (wrong !== undefined)
        throw new StartError(
          `${table.name} has a record with the id ${wrong}, and ids are from 1 to ${countedIdMax}: nothing was stored. ` +
            'Export that record from the source, delete it there, and import it again without its id',
        )
      yield batch
    }
  }
  return { ...source, batches, lastId: async (table) => Math.min(await source.lastId(table), countedIdMax) }
}

type CopyEndpoints = { readonly source: CopySource; readonly target: CopyTarget }

function isCounted(table: ModelTable): boolean {
  return table.columns.some(({ counted }) => counted)
}

async function copyTable(
  { source, target }: CopyEndpoints,
  table: ModelTable,
  watch: CopyListener,
): Promise<TableChecksum & { lastId: number }> {
  const sum = makeTableChecksum()
  let lastId: unknown
  const insert = makeInsert(target.dialect, table)
  for await (const batch of source.batches(table)) {
    await write(target, table, { batch, statement: insert(batch) })
    sum.add(batch)
    lastId = idOf(table, batch.rows.at(-1) ?? [])
    watch.copied(batch.rows.length)
    await breathe() // the embedded store never waits: let a Ctrl-C through
    watch.stop.throwIfAborted()
  }
  return { ...sum.end(), lastId: typeof lastId === 'number' ? lastId : 0 }
}

async function sumOf(end: CopyEndpoint, table: ModelTable, watch: CopyListener): Promise<TableChecksum> {
  const sum = makeTableChecksum()
  for await (const batch of batchesOf(end, table)) {
    sum.add(batch)
    watch.compared(batch.rows.length)
    await breathe()
    watch.stop.throwIfAborted()
  }
  return sum.end()
}

/**
 * Copies and compares. Throws `CopyError` when the comparison fails, or the error that ended the
 * copy.
 */
export async function copyTables(ends: CopyEndpoints, watch: CopyListener): Promise<readonly CopiedTable[]> {
  let total = 0
  for (const table of ends.source.tables) total += await ends.source.rows(table)
  await watch.began(total)
  const read = new Map<ModelTable, TableChecksum & { lastId: number }>()
  for (const table of ends.source.tables) read.set(table, await copyTable(ends, table, watch))
  const tables: CopiedTable[] = []
  for (const [table, { rows, checksum }] of read)
    tables.push({ table: table.name, source: { rows, checksum }, target: await sumOf(ends.target, table, watch) })
  if (!tables.every(isSame)) throw new CopyError(tables)
  // Last, because a PostgreSQL sequence keeps its new value even when the transaction is rolled
  // back
  for (const [table, { lastId }] of read) {
    const last = isCounted(table) ? Math.max(lastId, await ends.source.lastId(table)) : 0
    if (last > 0) await ends.target.countBehind(table, last)
  }
  return tables
}
