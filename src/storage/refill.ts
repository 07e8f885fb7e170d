/** The folded and searched texts of rows, made anew from the fields that they follow. */
import { always } from '../operation/condition.ts'
import type { Cursor } from '../operation/operation.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Executor, Tools } from './reader.ts'
import { toColumns } from './row.ts'
import { isMadeColumn } from './schema.ts'

const chunkRows = 500

function tableOf(catalog: Catalog, table: string): Resource | undefined {
  return [...catalog.resources.values()].find((one) => one.table === table)
}

/** Of every row of the table. The versions stay: nothing that anybody sees has changed. */
export async function refill(executor: Executor, tools: Tools, catalog: Catalog, table: string): Promise<void> {
  const resource = tableOf(catalog, table)
  if (!resource) return
  const { dialect, statements } = tools
  const read = tools.readerOf(resource)
  const sort = [{ field: resource.idField, descending: false }]
  let after: Cursor | null = null
  for (;;) {
    const chunk = await executor.all(statements.list(resource, { where: always, sort, limit: chunkRows, after }))
    for (const row of chunk.map(read)) {
      const { columns, values } = toColumns(dialect, resource, row, row)
      const made = columns.flatMap((column, i) => (isMadeColumn(column) ? [[column, values[i]] as const] : []))
      if (made.length > 0) await executor.run(statements.refill(resource, row[resource.idField], new Map(made)))
    }
    const last = chunk.at(-1)
    if (!last || chunk.length < chunkRows) return
    after = { values: [read(last)[resource.idField] as string] }
  }
}
