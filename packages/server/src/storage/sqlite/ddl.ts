/** Migration steps → SQLite's statements. Names and defaults come from checked declarations, never from requests. */
import type { ColumnType } from '../../resource/fields/field.ts'
import type { Step } from '../model/migration.ts'
import type { Column, Table } from '../model/model.ts'
import { columnEnd, quote } from '../sql/ddl-words.ts'
import { notNullSql } from './not-null.ts'
import { rowIdColumn } from './text-tables.ts'

const types: Record<ColumnType, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  json: 'TEXT',
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return String(Number(value))
}

function columnSql(column: Column, table?: Table): string {
  const parts = [quote(column.name), types[column.type]]
  if (column.counted) parts.push('PRIMARY KEY AUTOINCREMENT')
  else if (column.notNull) parts.push('NOT NULL')
  if (table?.primaryKey === column.name && !column.counted) parts.push('UNIQUE')
  return [...parts, ...columnEnd(column, literal)].join(' ')
}

function countedOf(table: Table): Column | undefined {
  return table.columns.find(({ counted }) => counted)
}

/** A table without a generated id also has a row number, which its full-text index refers to. */
function createTable(table: Table): string {
  const own = countedOf(table) ? [] : [`${quote(rowIdColumn)} INTEGER PRIMARY KEY`]
  const columns = table.columns.map((column) => columnSql(column, table))
  return `CREATE TABLE ${quote(table.name)} (${[...own, ...columns].join(', ')})`
}

/** The statements of one step. `refill` has none, the migration does it row by row; full-text tables have a plan of their own. */
export function statementsOf(step: Step): string[] {
  switch (step.kind) {
    case 'create-table':
      return [createTable(step.table)]
    case 'add-column':
      return [`ALTER TABLE ${quote(step.table)} ADD COLUMN ${columnSql(step.column)}`]
    case 'drop-column':
      return [`ALTER TABLE ${quote(step.table)} DROP COLUMN ${quote(step.column)}`]
    case 'allow-null':
      return notNullSql({ table: step.table, column: step.column, isNotNull: false })
    case 'create-index': {
      const columns = step.index.columns.map(quote).join(', ')
      return [
        `CREATE ${step.index.unique ? 'UNIQUE ' : ''}INDEX ${quote(step.index.name)} ON ${quote(step.table)} (${columns})`,
      ]
    }
    case 'drop-index':
      return [`DROP INDEX ${quote(step.index)}`]
    case 'create-search':
    case 'drop-search':
    case 'refill':
      return []
  }
}
