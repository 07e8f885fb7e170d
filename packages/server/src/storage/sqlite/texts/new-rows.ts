/**
 * Indexes new rows in the full-text tables by explicit statements; triggers do it for other
 * programs. For a statement with a trigger SQLite keeps a journal, and FTS5 then writes each row as
 * a segment. Merging those took a quarter of the time of creates. Without triggers, one commit is
 * one segment. Figures: docs/decisions/0108.
 */
import { constants } from 'node:sqlite'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { SqliteConnection } from '../connection.ts'
import { indexesOf, insertionOf, insertTriggerOf } from './text-tables.ts'

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
    [...indexes].map(([resource, own]) => [resource, own.map((one) => insertionOf(one, '?, ?'))]),
  )
  return {
    index(resource, rows) {
      const own = insertions.get(resource) ?? []
      if (own.length === 0) return
      for (const row of rows) {
        const [number, ...texts] = row.slice(-own.length - 1)
        for (const [i, sql] of own.entries()) run({ sql, parameters: [number, texts[i]] })
      }
    },
  }
}
