/**
 * Finds the tables and indexes of a damaged file, wherever they can still be read, and the columns
 * of a table as they were stored.
 */
import type { DatabaseSync } from 'node:sqlite'
import { readPage, type Stored } from './read-cells.ts'
import { type RescuedRow, rowOf, type TreeReading, walkTree } from './walk-tree.ts'

export type SchemaEntry = {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly root: number
  readonly sql: string | null
}

const types = ['table', 'index', 'view', 'trigger']

function entryOf({ values }: RescuedRow): SchemaEntry[] {
  const [type, name, table, root, sql] = values
  const isOne =
    values.length === 5 &&
    types.includes(String(type)) &&
    typeof name === 'string' &&
    typeof table === 'string' &&
    typeof root === 'number' &&
    (typeof sql === 'string' || sql === null)
  return isOne ? [{ type: String(type), name, table, root, sql: sql as string | null }] : []
}

/** Rows of the schema on unreachable pages, recognized by their form. */
function looseEntries({ pages, visited }: TreeReading, free: ReadonlySet<number>): SchemaEntry[] {
  const found: SchemaEntry[] = []
  for (let number = 2; number <= pages.count; number += 1) {
    if (visited.has(number) || free.has(number)) continue
    const page = readPage(pages, number, new Set())
    if (page?.kind !== 'table leaf') continue
    const rows = page.cells.flatMap((cell) => rowOf(cell, { pages: [], records: 0 }))
    const entries = rows.flatMap(entryOf)
    if (entries.length === 0 || entries.length < rows.length) continue
    visited.add(number)
    found.push(...entries)
  }
  return found
}

/** By name. */
export function readSchema(reading: TreeReading, free: ReadonlySet<number>): ReadonlyMap<string, SchemaEntry> {
  const tree = walkTree(reading, 1, 'table')
  const entries = [...tree.rows].flatMap(entryOf)
  const isDamaged = tree.damage.pages.length > 0 || tree.damage.records > 0
  const all = isDamaged ? [...looseEntries(reading, free), ...entries] : entries
  return new Map(all.map((entry) => [entry.name, entry]))
}

export type StoredColumn = {
  readonly name: string
  /** The value for rows that were written before the column was added. */
  readonly otherwise: Stored
  /** Whether it is the row number, which the record itself leaves out. */
  readonly isRowid: boolean
}

/** `memory`: an in-memory database that parses statements. */
export function columnsOf(memory: DatabaseSync, sql: string, table: string): readonly StoredColumn[] {
  const quoted = `"${table.replaceAll('"', '""')}"`
  memory.exec(`DROP TABLE IF EXISTS ${quoted}`)
  memory.exec(sql)
  return describeTable(memory, table)
}

export function describeTable(database: DatabaseSync, table: string): readonly StoredColumn[] {
  const columns = database
    .prepare('SELECT name, type, pk, dflt_value AS value FROM pragma_table_info(?)')
    .all(table) as {
    name: string
    type: string
    pk: number
    value: string | null
  }[]
  const keys = columns.filter(({ pk }) => pk > 0).length
  return columns.map(({ name, type, pk, value }) => ({
    name,
    otherwise: value === null ? null : (Object.values(database.prepare(`SELECT ${value}`).get() ?? {})[0] as Stored),
    isRowid: pk === 1 && keys === 1 && type.toUpperCase() === 'INTEGER',
  }))
}
