/**
 * Rescues one table of a damaged file: copies its rows into the new file, unreachable ones too, and
 * lists the missing ones.
 */
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { MissingRecord } from '../../database-kind.ts'
import type { ModelColumn, ModelTable } from '../../model/model.ts'
import { quote } from '../../sql/ddl-words.ts'
import type { SqliteConnection } from '../connection.ts'
import { columnsOf, describeTable, type SchemaEntry, type StoredColumn } from './find-schema.ts'
import type { BtreePage, Stored } from './read-cells.ts'
import { type BtreeWalk, type RescuedRow, rowOf, type TreeReading, walkTree } from './walk-tree.ts'

type RescueTableDeps = {
  readonly reading: TreeReading
  readonly schema: ReadonlyMap<string, SchemaEntry>
  /** The new file, which has the declared tables. */
  readonly target: SqliteConnection
  readonly memory: Parameters<typeof columnsOf>[0]
  readonly missing: (one: MissingRecord) => void
}

export type RescuedTable = {
  readonly name: string
  /** Whether some of its pages could not be found. */
  readonly isBroken: boolean
  /** Whether all rows of a page can be missing rows of this table. */
  fits(rows: readonly RescuedRow[]): boolean
  /** Takes rows of unreachable pages. */
  take(rows: readonly RescuedRow[]): void
  /** Reports the missing rows. */
  finish(): void
}

function isOfType({ type, notNull }: ModelColumn, value: Stored): boolean {
  if (value === null) return !notNull
  if (type === 'integer') return typeof value === 'number' && Number.isSafeInteger(value)
  if (type === 'long') return typeof value === 'bigint' || Number.isSafeInteger(value)
  if (type === 'float') return typeof value === 'number'
  if (type === 'boolean') return value === 0 || value === 1
  if (typeof value !== 'string' || value.includes('\0')) return false // which no stored text has
  if (type === 'timestamp') return !Number.isNaN(Date.parse(value))
  if (type === 'json' || type === 'document') return isJson(value)
  return true
}
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The row numbers in the indexes, each with its id where an index has it. */
function readKnown(
  { reading, schema }: RescueTableDeps,
  table: ModelTable,
): { known: Map<number, Stored>; isWhole: boolean } {
  const known = new Map<number, Stored>()
  let isWhole = false
  const indexes = [...schema.values()].filter((one) => one.type === 'index' && one.table === table.name)
  for (const { name, root, sql } of indexes) {
    const isPartial = sql !== null && / WHERE /i.test(sql)
    const isKey = sql === null && name.startsWith('sqlite_autoindex_')
    const { rows, damage } = walkTree(reading, root, 'index')
    for (const { values } of rows) {
      const rowid = values.at(-1)
      const id = isKey && values.length === 2 ? (values[0] as Stored) : null
      if (typeof rowid === 'number' && (id !== null || !known.has(rowid))) known.set(rowid, id)
    }
    isWhole ||= !isPartial && damage.pages.length === 0 && damage.records === 0
  }
  return { known, isWhole }
}

/** Inserts rows into the new file, and skips those that it refuses. */
function makeInsert({ target, missing }: RescueTableDeps, table: ModelTable, columns: readonly StoredColumn[]) {
  const own = new Set(describeTable(target.database, table.name).map(({ name }) => name))
  const used = columns.flatMap((column, i) => (own.has(column.name) ? [{ column, i }] : []))
  const names = used.map(({ column }) => quote(column.name)).join(', ')
  const insert: StatementSync = target.database.prepare(
    `INSERT INTO ${quote(table.name)} (${names}) VALUES (${used.map(() => '?').join(', ')})`,
  )
  const described = new Map(table.columns.map((column) => [column.name, column]))
  const valuesOf = ({ rowid, values }: RescuedRow): Stored[] =>
    used.map(({ column, i }) => (column.isRowid ? rowid : i < values.length ? (values[i] as Stored) : column.otherwise))
  const idAt = used.findIndex(({ column }) => column.name === table.primaryKey)

  function whyNot(row: RescuedRow): string | undefined {
    if (row.values.length > columns.length) return 'its record has more values than the table has columns'
    const values = valuesOf(row)
    const bad = used.find(({ column }, at) => {
      const known = described.get(column.name)
      return known !== undefined && !isOfType(known, values[at] as Stored)
    })
    return bad && `the value of ${bad.column.name} is damaged`
  }
  return {
    whyNot,
    insert(row: RescuedRow): boolean {
      const values = valuesOf(row)
      let why = whyNot(row)
      try {
        if (why === undefined) insert.run(...(values as SQLInputValue[]))
      } catch (error) {
        why = (error as Error).message
      }
      if (why === undefined) return true
      const record = Object.fromEntries(used.map(({ column }, i) => [column.name, shown(values[i] as Stored)]))
      missing({ table: table.name, id: shown(values[idAt] ?? null), why, record })
      return false
    },
  }
}
function shown(value: Stored): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

export function rescueTable(deps: RescueTableDeps, table: ModelTable): RescuedTable {
  const { reading, schema, target, memory, missing } = deps
  const entry = schema.get(table.name)
  const columns = entry?.sql ? columnsOf(memory, entry.sql, table.name) : describeTable(target.database, table.name)
  const { insert, whyNot } = makeInsert(deps, table, columns)
  const got = new Set<number>()
  const told = new Set<number>()
  const take = (row: RescuedRow) => {
    if (got.has(row.rowid)) return
    if (insert(row)) got.add(row.rowid)
    else told.add(row.rowid)
  }
  const tree = entry && walkTree(reading, entry.root, 'table')
  for (const row of tree?.rows ?? []) take(row)
  const { pages, records } = tree?.damage ?? { pages: [], records: 0 }
  const isBroken = !entry || pages.length > 0
  const { known, isWhole } = readKnown(deps, table)
  return {
    name: table.name,
    isBroken,
    fits: (rows) =>
      rows.every((row) => !got.has(row.rowid) && (!isWhole || known.has(row.rowid)) && whyNot(row) === undefined),
    take: (rows) => rows.forEach(take),
    finish() {
      const lost = [...known].filter(([rowid]) => !got.has(rowid) && !told.has(rowid))
      const keyIsRowid = columns.some(({ name, isRowid }) => isRowid && name === table.primaryKey)
      for (const [rowid, id] of lost) {
        const named = keyIsRowid ? rowid : shown(id)
        missing({ table: table.name, id: named, row: rowid, why: 'its page cannot be read' })
      }
      if (isWhole || lost.length > 0 || !(isBroken || records > 0)) return
      missing({
        table: table.name,
        why: `${whereOf(entry, tree?.damage)}, and no index says how many records were there`,
      })
    },
  }
}

function whereOf(entry: SchemaEntry | undefined, damage: BtreeWalk['damage'] | undefined): string {
  if (!entry || !damage) return 'its place is not known'
  const { pages, records } = damage
  if (pages.length === 0) return `${records} of its records are damaged`
  return `${pages.length === 1 ? 'page' : 'pages'} ${pages.slice(0, 5).join(', ')} cannot be read`
}

/** Rows of an unreachable page. */
export function rowsOn({ cells }: BtreePage): RescuedRow[] {
  return cells.flatMap((cell) => rowOf(cell, { pages: [], records: 0 }))
}
