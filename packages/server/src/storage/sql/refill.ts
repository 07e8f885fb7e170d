/** Recomputes the folded and searched texts of rows from the fields that they derive from. */
import type { Cursor } from '../../operation/operation.ts'
import type { Resource } from '../../resource/catalog.ts'
import { always } from '../../resource/condition.ts'
import { isMadeColumn } from '../model/model.ts'
import type { Executor, Tools } from './reader.ts'

const chunkRows = 500

export type Refilling = { readonly executor: Executor; readonly tools: Tools }

/** Refills the rows that match, by default all. Versions stay: nothing that a client sees has changed. */
export async function refill({ executor, tools }: Refilling, resource: Resource, where = always): Promise<void> {
  const { statements } = tools
  const read = tools.readerOf(resource)
  const writer = tools.writerOf(resource)
  const sort = [{ field: resource.idField, descending: false }]
  let after: Cursor | null = null
  for (;;) {
    const chunk = await executor.all(statements.list(resource, { where, sort, limit: chunkRows, after }))
    for (const row of chunk.map(read)) {
      const { columns, values } = writer.changed(row, row)
      const made = columns.flatMap((column, i) => (isMadeColumn(column) ? [[column, values[i]] as const] : []))
      if (made.length > 0) await executor.run(statements.refill(resource, row[resource.idField], new Map(made)))
    }
    const last = chunk.at(-1)
    if (!last || chunk.length < chunkRows) return
    after = { values: [read(last)[resource.idField] as string] }
  }
}
