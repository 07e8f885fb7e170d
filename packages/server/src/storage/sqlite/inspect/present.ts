/**
 * Reads the tables, columns and indexes that a SQLite file really has, not those of its stored
 * model. Each start runs its two statements.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { PresentSchema } from '../../model/drift.ts'

/** SQLite cannot list the columns of a virtual table whose own tables are gone. */
const isTable = "t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'"
const columnsSql = `SELECT t.name AS owner, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE ${isTable}`
const indexesSql = `SELECT t.name AS owner, i.name AS "index", i."unique" AS is_unique, c.name
  FROM sqlite_schema AS t, pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS c
  WHERE ${isTable} ORDER BY 1, 2, c.seqno`

type IndexRow = { readonly owner: string; readonly index: string; readonly is_unique: number; readonly name: string }

export function presentOf(database: DatabaseSync): PresentSchema {
  const present = new Map<
    string,
    { columns: Set<string>; indexes: Map<string, { columns: string[]; unique: boolean }> }
  >()
  for (const { owner, name } of database.prepare(columnsSql).all() as IndexRow[]) {
    const one = present.get(owner) ?? { columns: new Set(), indexes: new Map() }
    one.columns.add(name)
    present.set(owner, one)
  }
  for (const { owner, index, is_unique, name } of database.prepare(indexesSql).all() as IndexRow[]) {
    const indexes = present.get(owner)?.indexes
    const one = indexes?.get(index) ?? { columns: [], unique: is_unique === 1 }
    one.columns.push(name)
    indexes?.set(index, one)
  }
  return present
}
