/**
 * Reads and writes the stored rows of a table, in batches by id, for copies between databases. A
 * checksum of the rows lets the copy compare the source with the target.
 */
import { createHash } from 'node:crypto'
import { jsonText } from '../../base/json-text.ts'
import type { ModelColumn, ModelTable } from '../model/model.ts'
import { boundValuesMax, type Dialect } from '../sql/dialect.ts'
import { sql } from '../sql/kysely.ts'
import type { Executor } from '../sql/reader.ts'
import { selected } from '../sql/select-rows.ts'
import type { Statement } from '../sql/statements.ts'

export type CopyEndpoint = { readonly dialect: Dialect; readonly executor: Executor }

/**
 * The number of rows, and the SHA-256 of all their stored values in the order of their ids, as hex.
 */
export type TableChecksum = { readonly rows: number; readonly checksum: string }

/**
 * Limits of a batch: rows, and approximate characters, so that large rows do not take more memory.
 */
const batchRowsMax = 1000
export const batchCharactersAimed = 2_000_000
const firstBatchRows = 50

/** Stored values in the order of the model's columns, and each row as JSON. */
export type CopyBatch = { readonly rows: readonly (readonly unknown[])[]; readonly texts: readonly string[] }

/** The number of rows that one INSERT statement can take. */
export function batchRowsMaxOf({ columns }: ModelTable): number {
  return Math.min(batchRowsMax, Math.floor(boundValuesMax / columns.length))
}

export function idOf(table: ModelTable, row: readonly unknown[]): unknown {
  return row[table.columns.findIndex(({ name }) => name === table.primaryKey)]
}

function batchStatement({ builder }: Dialect, table: ModelTable, { after, limit }: { after: unknown; limit: number }) {
  const id = table.primaryKey
  const query = builder
    .selectFrom(table.name)
    .select(table.columns.map(({ name, type }) => selected(type, name)))
    .orderBy(id)
    .limit(sql.lit(limit))
  const { sql: text, parameters } = (after === undefined ? query : query.where(id, '>', after)).compile()
  return { sql: text, parameters: [...parameters] }
}

/** Yields every row, by id, with its stored values in the order of the model's columns. */
export async function* batchesOf({ dialect, executor }: CopyEndpoint, table: ModelTable): AsyncGenerator<CopyBatch> {
  const { columns } = table
  const decoders = columns.map(({ type }) => dialect.decode[type])
  const at = columns.findIndex(({ name }) => name === table.primaryKey)
  const most = batchRowsMaxOf(table)
  let limit = Math.min(firstBatchRows, most)
  let after: unknown
  for (;;) {
    const cells = await executor.all(batchStatement(dialect, table, { after, limit }))
    if (cells.length === 0) return
    after = cells.at(-1)?.[at]
    const rows = cells.map((row) =>
      row.map((cell, i) => {
        const decode = decoders[i]
        return decode && cell !== null ? decode(cell) : cell
      }),
    )
    const texts = rows.map(jsonText)
    yield { rows, texts }
    if (cells.length < limit) return
    const characters = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
    limit = Math.max(1, Math.min(most, Math.floor(batchCharactersAimed / characters)))
  }
}

export async function countOf({ dialect, executor }: CopyEndpoint, table: ModelTable): Promise<number> {
  const query = dialect.builder.selectFrom(table.name).select((eb) => eb.fn.countAll().as('count'))
  return (await executor.first({ sql: query.compile().sql, parameters: [] }))?.[0] as number
}

export function makeTableChecksum() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add({ texts }: Pick<CopyBatch, 'texts'>): void {
      hash.update(`${texts.join('\n')}\n`)
      rows += texts.length
    },
    end: (): TableChecksum => ({ rows, checksum: hash.digest('hex') }),
  }
}

/** Makes INSERTs of many rows; the text for a number of rows is compiled once. */
export function makeInsert({ builder, encode }: Dialect, table: ModelTable): (batch: CopyBatch) => Statement {
  const { columns } = table
  const texts = new Map<number, string>()
  return ({ rows }) => {
    let text = texts.get(rows.length)
    if (text === undefined) {
      const blank = Object.fromEntries(columns.map(({ name }) => [name, 0]))
      text = builder
        .insertInto(table.name)
        .values(rows.map(() => blank))
        .compile().sql
      texts.clear() // batches in a row mostly have the same size, so one text is enough
      texts.set(rows.length, text)
    }
    const parameters = rows.flatMap((row) =>
      row.map((value, i) => (value === null ? null : encode((columns[i] as ModelColumn).type, value))),
    )
    return { sql: text, parameters }
  }
}
