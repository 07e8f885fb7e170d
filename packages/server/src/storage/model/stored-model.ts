/**
 * The model in the form that a database stores, so that the next start can find the differences.
 * One text has the tables, in the form that earlier versions of Bindery read and write too. A
 * second text has the declared meaning of the values, which those versions did not store.
 */

import { jsonText } from '../../base/json-text.ts'
import { StartError } from '../../errors.ts'
import type { ColumnMeaning, LeavingColumn, ModelColumn, ModelTable, SchemaModel } from './model.ts'

/**
 * Earlier versions gave the type `rowid` to a generated id, and to the row number that SQLite keeps
 * in tables without such an id.
 */
type EarlierColumn = Omit<ModelColumn, 'type'> & { readonly type: ModelColumn['type'] | 'rowid' }
type EarlierTable = Omit<ModelTable, 'columns'> & { readonly columns: readonly EarlierColumn[] }

type ColumnNote = {
  readonly means?: ColumnMeaning
  readonly unfilled?: true
  readonly leaving?: LeavingColumn
  readonly fold?: 'name'
}
type TableNote = Pick<ModelTable, 'resource' | 'alias' | 'leaving'> & {
  readonly columns: Readonly<Record<string, ColumnNote>>
}
type TableNotes = Readonly<Record<string, TableNote>>

/** Both texts in `bindery_meta`, by name. */
export type StoredModel = { readonly model: string; readonly meanings: string }

function recallColumn({ type, ...column }: EarlierColumn, primaryKey: string): ModelColumn[] {
  if (type !== 'rowid') return [{ ...column, type }]
  return column.name === primaryKey ? [{ ...column, type: 'integer', counted: true }] : []
}

export function storeModel({ tables }: SchemaModel): StoredModel {
  const notes: Record<string, TableNote> = {}
  const bare = tables.map(({ resource, alias, leaving, keyless: _, columns, ...table }) => {
    const noted: Record<string, ColumnNote> = {}
    notes[table.name] = {
      ...(resource !== undefined && { resource }),
      ...(alias !== undefined && { alias }),
      ...(leaving && { leaving }),
      columns: noted,
    }
    const kept = columns.map(({ means, unfilled, leaving: goes, fold, ...column }) => {
      if (means || unfilled || goes || fold)
        noted[column.name] = {
          ...(means && { means }),
          ...(unfilled && { unfilled }),
          ...(goes && { leaving: goes }),
          ...(fold && { fold }),
        }
      return column
    })
    return { ...table, columns: kept }
  })
  return { model: jsonText({ tables: bare }), meanings: JSON.stringify(notes) }
}

function parseNoted(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const what = 'The stored model of the tables (bindery_meta) is damaged'
    throw new StartError(`${what}; bindery doctor --deep says how much else is: restore a backup`, { cause })
  }
}

/**
 * `meanings`: undefined in a database of an earlier version; then the values have the meaning of
 * the current declarations.
 */
export function readStoredModel(text: string, meanings: string | undefined): SchemaModel {
  const { tables } = parseNoted(text) as { readonly tables: readonly EarlierTable[] }
  const notes = (meanings === undefined ? {} : parseNoted(meanings)) as TableNotes
  return {
    tables: tables.map((table) => {
      const { columns: noted = {}, ...note } = notes[table.name] ?? {}
      const columns = table.columns.flatMap((column) => recallColumn(column, table.primaryKey))
      return { ...table, ...note, columns: columns.map((column) => ({ ...column, ...noted[column.name] })) }
    }),
  }
}
