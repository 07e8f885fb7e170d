/**
 * New rows go into the full-text tables by statements of their own, beside the triggers that do it
 * for everybody else. SQLite keeps what it needs to undo a statement with a trigger, and FTS5 then
 * writes out what it holds back: each row becomes a segment, and to merge those took a fourth of
 * the time of creates. Without it, what commits together is one segment. Why, with figures:
 * docs/decisions/0108.
 */
import { constants } from 'node:sqlite'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { SqliteConnection } from '../connection.ts'
import { indexesOf, insertionOf, insertTriggerOf } from './text-tables.ts'

export type NewRowIndex = {
  /**
   * Call it with what each insert has returned, which has at its end what `newRowColumns` names.
   */
  index(resource: Resource, rows: readonly (readonly unknown[])[]): void
}

/** From now on the triggers do nothing for what this connection inserts. */
export function makeNewRowIndex({ database, run }: SqliteConnection, catalog: Catalog): NewRowIndex {
  const indexes = new Map([...catalog.resources.values()].map((resource) => [resource, indexesOf(resource)]))
  const triggers = new Set([...indexes.values()].flat().map(({ name }) => insertTriggerOf(name)))
  // A statement inside of a trigger that is ignored is compiled to nothing, and so is no reason to
  // keep anything (sqlite.org/c3ref/set_authorizer).
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
