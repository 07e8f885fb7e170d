/**
 * Indexes new rows in the full-text tables by explicit statements; triggers do it for other
 * programs. For a statement with a trigger SQLite keeps a journal, and FTS5 then writes each row as
 * a segment. Merging those took a quarter of the time of creates. Without triggers, one commit is
 * one segment. Figures: docs/decisions/0108.
 */
import { constants } from 'node:sqlite'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { SqliteConnection } from '../connection.ts'
import { indexesOf, insertionOf, insertTriggerOf, newRowColumns, sourcesOf } from './text-tables.ts'

export type NewRowIndex = {
  /**
   * Call it with the rows that each insert returned; they end with the columns of `newRowColumns`.
   */
  index(resource: Resource, rows: readonly (readonly unknown[])[]): void
}

/** From now on the triggers do nothing for this connection's inserts. */
export function makeNewRowIndex({ database, run }: SqliteConnection, catalog: Catalog): NewRowIndex {
  const indexes = new Map([...catalog.resources.values()].map((resource) => [resource, indexesOf(resource)]))
  const triggers = new Set([...indexes.values()].flat().map(({ name }) => insertTriggerOf(name)))
  // An ignored statement inside a trigger is compiled to nothing, so it needs no journal
  // (sqlite.org/c3ref/set_authorizer).
  database.setAuthorizer((action, ...[, , , trigger]) =>
    action === constants.SQLITE_INSERT && trigger !== null && triggers.has(trigger)
      ? constants.SQLITE_IGNORE
      : constants.SQLITE_OK,
  )
  const insertions = new Map(
    [...indexes].map(([resource, own]) => {
      let from = 1
      const insertionFor = (one: (typeof own)[number]) => {
        const to = from + sourcesOf(one).length
        const insertion = { sql: insertionOf(one), from, to }
        from = to
        return insertion
      }
      return [resource, { columns: newRowColumns(resource).length, each: own.map(insertionFor) }]
    }),
  )
  return {
    index(resource, rows) {
      const { columns, each } = insertions.get(resource) ?? { columns: 0, each: [] }
      if (columns === 0) return
      for (const row of rows) {
        const cells = row.slice(-columns)
        for (const { sql, from, to } of each) run({ sql, parameters: [cells[0], ...cells.slice(from, to)] })
      }
    },
  }
}
