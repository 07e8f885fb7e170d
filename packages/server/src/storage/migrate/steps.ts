/**
 * The steps of a migration, and how each changes the stored model. A database writes the model in
 * the transaction of the step, so the model always matches the tables. An interrupted migration is
 * planned again from that model.
 */
import { isMadeColumn, type ModelColumn, type ModelIndex, type ModelTable, type SchemaModel } from '../model/model.ts'
import type { LinkTarget } from './links/linked-columns.ts'

/**
 * Computes the values of one column, row by row: `backfill` for missing values, `convert` from the
 * column `from`, `copy` unchanged. `compute`: by the function of a computed field.
 */
export type ColumnFiller = {
  readonly column: string
  readonly by: 'backfill' | 'convert' | 'copy' | 'compute'
  readonly from?: string
  /** The meaning of the values of `from`, where they are converted. */
  readonly kind?: string | undefined
  /** The function of a computed field: a fill by another one begins again. */
  readonly meaning?: string | undefined
}

export type MigrationStep =
  /** `again`: another program dropped it, and rows that refer to its rows may be there. */
  | { readonly kind: 'create-table'; readonly table: ModelTable; readonly again?: true }
  /** `keep`: instances of the version before go on with the earlier name. */
  | { readonly kind: 'rename-table'; readonly table: ModelTable; readonly from: ModelTable; readonly keep: boolean }
  | { readonly kind: 'drop-alias'; readonly table: string; readonly alias: string }
  /** Kept until a migration contracts. */
  | { readonly kind: 'leave-table'; readonly table: string }
  /** Declared again before it went. */
  | { readonly kind: 'return-table'; readonly table: string }
  | { readonly kind: 'drop-table'; readonly table: string }
  | { readonly kind: 'add-column'; readonly table: string; readonly column: ModelColumn }
  | { readonly kind: 'rename-column'; readonly table: string; readonly column: string; readonly to: string }
  /** From here on both columns have the same values: a write to either changes both. */
  | {
      readonly kind: 'mirror-column'
      readonly table: string
      readonly column: string
      readonly to: string
    }
  /** Kept, and no longer required, until a migration contracts. */
  | {
      readonly kind: 'leave-column'
      readonly table: string
      readonly column: string
      readonly heir?: string | undefined
    }
  /** Declared again before it went. */
  | { readonly kind: 'return-column'; readonly table: string; readonly column: ModelColumn }
  /** `heir`: the column that has its values, or the table of links: `linked` then. */
  | {
      readonly kind: 'drop-column'
      readonly table: string
      readonly column: string
      readonly heir?: string | undefined
      readonly linked?: LinkTarget
    }
  /** The converted values replace those of the column. */
  | {
      readonly kind: 'swap-column'
      readonly table: string
      readonly column: ModelColumn
      readonly from: string
      readonly old: string
      /** The meaning of the values of `old`. */
      readonly meant?: string | undefined
    }
  | { readonly kind: 'fill'; readonly table: string; readonly fillers: readonly ColumnFiller[] }
  /** The stored values have another meaning, until a fill has computed them. */
  | { readonly kind: 'recompute'; readonly table: string; readonly column: ModelColumn }
  /** Counts the records of a counted field, for all rows. */
  | { readonly kind: 'count'; readonly table: string; readonly column: string }
  /** Numbers the rows of a new `autoNumber`. */
  | { readonly kind: 'number'; readonly table: string; readonly column: string }
  /** Places the rows in a manual order, in the order of the column `from` where there is one. */
  | { readonly kind: 'place'; readonly table: string; readonly column: string; readonly from?: string }
  /** Each value of the reference becomes a link. */
  | { readonly kind: 'link'; readonly table: string; readonly column: string; readonly linked: LinkTarget }
  | {
      readonly kind: 'rename-words'
      readonly table: string
      readonly column: string
      readonly words: Readonly<Record<string, string>>
    }
  | { readonly kind: 'allow-null'; readonly table: string; readonly column: string }
  | { readonly kind: 'require'; readonly table: string; readonly column: string }
  /** The target of the column's reference, and the action when the target is deleted. */
  | {
      readonly kind: 'refer'
      readonly table: string
      readonly column: string
      readonly references: ModelColumn['references']
    }
  /** Another program dropped the primary key. */
  | { readonly kind: 'create-key'; readonly table: string; readonly column: string }
  | { readonly kind: 'create-index'; readonly table: string; readonly index: ModelIndex }
  | { readonly kind: 'rename-index'; readonly table: string; readonly index: ModelIndex; readonly from: string }
  | { readonly kind: 'drop-index'; readonly table: string; readonly index: string }
  /** `tenant`: the index whose words begin with this column; without it the index of all words. */
  | { readonly kind: 'create-search' | 'drop-search'; readonly table: ModelTable; readonly tenant?: string }
  /** Recomputes folded and search columns from the fields that they derive from. */
  | { readonly kind: 'refill'; readonly table: string; readonly searched?: readonly string[] | undefined }

export function tableNameOf({ table }: MigrationStep): string {
  return typeof table === 'string' ? table : table.name
}

/** The steps for the indexes of words that the table has. */
export function searchSteps(kind: 'create-search' | 'drop-search', table: ModelTable): MigrationStep[] {
  const { search, searchTenant: tenant } = table
  return [
    ...(search === undefined ? [] : [{ kind, table }]),
    ...(tenant === undefined ? [] : [{ kind, table, tenant }]),
  ]
}

function inColumn(table: ModelTable, name: string, change: (column: ModelColumn) => ModelColumn): ModelTable {
  return { ...table, columns: table.columns.map((column) => (column.name === name ? change(column) : column)) }
}

function withoutTenant({ searchTenant: _, ...table }: ModelTable): ModelTable {
  return table
}

function filled({ unfilled: _, ...column }: ModelColumn): ModelColumn {
  return column
}

function withoutColumn(table: ModelTable, name: string): ModelTable {
  const columns = table.columns.filter((column) => column.name !== name)
  return { ...table, columns, indexes: table.indexes.filter((index) => !index.columns.includes(name)) }
}

function renamedColumn(table: ModelTable, from: string, to: string): ModelTable {
  const named = (name: string) => (name === from ? to : name)
  const indexes = table.indexes.map((index) => ({ ...index, columns: index.columns.map(named) }))
  return { ...inColumn(table, from, (column) => ({ ...column, name: to })), indexes }
}

/** `step` changes this table, and neither creates nor drops it. */
function changeTable(table: ModelTable, step: MigrationStep): ModelTable {
  switch (step.kind) {
    case 'rename-table':
      return { ...table, name: step.table.name, ...(step.keep && { alias: step.from.name }) }
    case 'drop-alias': {
      const { alias: _, ...rest } = table
      return rest
    }
    case 'leave-table':
      return { ...table, leaving: true }
    case 'return-table': {
      const { leaving: _, ...rest } = table
      return rest
    }
    case 'add-column':
      return { ...table, columns: [...table.columns.filter(({ name }) => name !== step.column.name), step.column] }
    case 'rename-column':
      return renamedColumn(table, step.column, step.to)
    case 'leave-column':
      return inColumn(table, step.column, (column) => ({
        ...column,
        notNull: false,
        leaving: step.heir === undefined ? {} : { heir: step.heir },
      }))
    case 'return-column':
      return inColumn(table, step.column.name, ({ notNull }) => ({ ...step.column, notNull }))
    case 'recompute':
      return inColumn(table, step.column.name, ({ notNull }) => ({ ...step.column, notNull, unfilled: true }))
    case 'drop-column':
      return withoutColumn(table, step.column)
    case 'swap-column': {
      const rest = withoutColumn(withoutColumn(table, step.old), step.from)
      return { ...rest, columns: [...rest.columns, step.column] }
    }
    case 'fill': {
      const done = step.fillers.map(({ column }) => column)
      return { ...table, columns: table.columns.map((one) => (done.includes(one.name) ? filled(one) : one)) }
    }
    case 'count':
    case 'number':
    case 'place':
      return inColumn(table, step.column, filled)
    case 'allow-null':
    case 'require':
      return inColumn(table, step.column, (column) => ({ ...column, notNull: step.kind === 'require' }))
    case 'refer':
      return inColumn(table, step.column, ({ references: _, ...column }) => ({
        ...column,
        ...(step.references && { references: step.references }),
      }))
    case 'create-key': {
      const { keyless: _, ...rest } = table
      return rest
    }
    case 'create-index':
      return { ...table, indexes: [...table.indexes.filter(({ name }) => name !== step.index.name), step.index] }
    case 'rename-index':
      return { ...table, indexes: [...table.indexes.filter(({ name }) => name !== step.from), step.index] }
    case 'drop-index':
      return { ...table, indexes: table.indexes.filter(({ name }) => name !== step.index) }
    case 'create-search':
      if (step.tenant !== undefined) return { ...table, searchTenant: step.tenant }
      return { ...table, ...(step.table.search !== undefined && { search: step.table.search }) }
    case 'drop-search': {
      if (step.tenant !== undefined) return withoutTenant(table)
      const { search: _search, searched: _searched, ...rest } = table
      return rest
    }
    case 'refill': {
      const columns = table.columns.map((column) => (isMadeColumn(column.name) ? filled(column) : column))
      return { ...table, columns, ...(step.searched && { searched: step.searched }) }
    }
    case 'create-table':
    case 'drop-table':
    case 'mirror-column':
    case 'link':
    case 'rename-words':
      return table
  }
}

/** References to a renamed table, or to its key. */
function pointedAnew(table: ModelTable, from: string, to: string): ModelTable {
  const columns = table.columns.map((column) =>
    column.references?.table === from ? { ...column, references: { ...column.references, table: to } } : column,
  )
  return { ...table, columns }
}

/** Pure: the model after the step. */
export function afterStep({ tables }: SchemaModel, step: MigrationStep): SchemaModel {
  if (step.kind === 'create-table') return { tables: [...tables, bare(step.table)] }
  if (step.kind === 'drop-table') return { tables: tables.filter(({ name }) => name !== step.table) }
  const name = step.kind === 'rename-table' ? step.from.name : tableNameOf(step)
  const changed = tables.map((table) => (table.name === name ? changeTable(table, step) : table))
  if (step.kind !== 'rename-table') return { tables: changed }
  return { tables: changed.map((table) => pointedAnew(table, step.from.name, step.table.name)) }
}

/** A new table without its indexes: those come in steps of their own. */
function bare({ search: _, searchTenant: _tenant, ...table }: ModelTable): ModelTable {
  return { ...table, indexes: [] }
}
