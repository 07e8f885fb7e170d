/**
 * The model as text that a database remembers, so that the next start can tell what changed. Also reads the text that an earlier version of
 * Bindery left.
 */
import type { Column, Model, Table } from './model.ts'

/** Earlier versions gave the type `rowid` to a generated id, and to the row number that SQLite keeps in tables without such an id. */
type EarlierColumn = Omit<Column, 'type'> & { readonly type: Column['type'] | 'rowid' }
type EarlierTable = Omit<Table, 'columns'> & { readonly columns: readonly EarlierColumn[] }

function recallColumn({ type, ...column }: EarlierColumn, primaryKey: string): Column[] {
  if (type !== 'rowid') return [{ ...column, type }]
  return column.name === primaryKey ? [{ ...column, type: 'integer', counted: true }] : []
}

export function rememberModel(model: Model): string {
  return JSON.stringify(model)
}

export function recallModel(text: string): Model {
  const { tables } = JSON.parse(text) as { readonly tables: readonly EarlierTable[] }
  return {
    tables: tables.map((table) => ({
      ...table,
      columns: table.columns.flatMap((column) => recallColumn(column, table.primaryKey)),
    })),
  }
}
