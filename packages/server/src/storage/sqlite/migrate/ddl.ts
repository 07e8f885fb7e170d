/**
 * Translates migration steps to SQLite's statements. Names and defaults come from checked
 * declarations, never from requests.
 */

import type { Scalar } from '../../../resource/condition.ts'
import type { ColumnType } from '../../../resource/fields/field.ts'
import { changesTable } from '../../changes.ts'
import type { MigrationStep } from '../../migrate/steps.ts'
import type { ModelColumn, ModelIndex, ModelTable, SchemaModel } from '../../model/model.ts'
import { columnEnd, quote, textLiteral } from '../../sql/ddl-words.ts'
import { seriesSql } from '../../sql/number-series.ts'
import { rowIdColumn } from '../texts/text-tables.ts'
import { boundReference, notNullSql, referenceEdit } from './table-text.ts'

const types: Record<ColumnType, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  long: 'INTEGER',
  float: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  json: 'TEXT',
  document: 'TEXT',
}

function literal(value: Scalar): string {
  return typeof value === 'string' ? textLiteral(value) : String(typeof value === 'boolean' ? Number(value) : value)
}

function columnSql(column: ModelColumn, table?: ModelTable): string {
  const parts = [quote(column.name), types[column.type]]
  if (column.counted) parts.push('PRIMARY KEY AUTOINCREMENT')
  else if (column.notNull) parts.push('NOT NULL')
  if (table?.primaryKey === column.name && !column.counted) parts.push('UNIQUE')
  return [...parts, ...columnEnd({ ...column, references: boundReference(column) }, literal)].join(' ')
}

function countedOf(table: ModelTable): ModelColumn | undefined {
  return table.columns.find(({ counted }) => counted)
}

/** A table without a generated id also has a row number, which its full-text index refers to. */
function createTable(table: ModelTable): string {
  const own = countedOf(table) ? [] : [`${quote(rowIdColumn)} INTEGER PRIMARY KEY`]
  const columns = table.columns.map((column) => columnSql(column, table))
  return `CREATE TABLE ${quote(table.name)} (${[...own, ...columns].join(', ')})`
}

function createIndex(table: string, index: ModelIndex): string {
  const columns = index.columns.map(quote).join(', ')
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(index.name)} ON ${quote(table)} (${columns})`
}

/** During a conversion, a write to the old value marks the row as not converted. */
function staleTrigger(table: string, next: string): string {
  return `${table}_${next}_stale`
}

function addColumn(table: ModelTable, column: ModelColumn): string[] {
  const add = `ALTER TABLE ${quote(table.name)} ADD COLUMN ${columnSql(column)}`
  const old = column.name.replace(/__next$/, '')
  if (!column.name.endsWith('__next') || !table.columns.some(({ name }) => name === old)) return [add]
  const key = quote(table.primaryKey)
  const update = `UPDATE ${quote(table.name)} SET ${quote(column.name)} = NULL WHERE ${key} = new.${key};`
  const name = quote(staleTrigger(table.name, column.name))
  return [add, `CREATE TRIGGER ${name} AFTER UPDATE OF ${quote(old)} ON ${quote(table.name)} BEGIN ${update} END`]
}

function dropColumn(table: string, column: string): string[] {
  const alter = `ALTER TABLE ${quote(table)} DROP COLUMN ${quote(column)}`
  return column.endsWith('__next') ? [`DROP TRIGGER IF EXISTS ${quote(staleTrigger(table, column))}`, alter] : [alter]
}

/**
 * The statements of one step; `state`: the model before it. Fills have none: the migration writes
 * them row by row. Full-text tables have a plan of their own.
 */
function ownStatements(step: MigrationStep, state: SchemaModel): string[] {
  switch (step.kind) {
    case 'create-table':
      return [createTable(step.table)]
    case 'rename-table':
      return [
        `ALTER TABLE ${quote(step.from.name)} RENAME TO ${quote(step.table.name)}`,
        ...(step.from.resource === undefined
          ? []
          : [
              `UPDATE ${changesTable} SET resource = '${step.table.resource}' WHERE resource = '${step.from.resource}'`,
            ]),
      ]
    case 'drop-table':
      return [`DROP TABLE ${quote(step.table)}`]
    case 'add-column':
      return addColumn(tableOf(state, step.table), step.column)
    case 'rename-column':
      return [`ALTER TABLE ${quote(step.table)} RENAME COLUMN ${quote(step.column)} TO ${quote(step.to)}`]
    case 'drop-column':
      return dropColumn(step.table, step.column)
    case 'swap-column':
      return [
        `DROP TRIGGER IF EXISTS ${quote(staleTrigger(step.table, step.from))}`,
        `ALTER TABLE ${quote(step.table)} DROP COLUMN ${quote(step.old)}`,
        `ALTER TABLE ${quote(step.table)} RENAME COLUMN ${quote(step.from)} TO ${quote(step.column.name)}`,
      ]
    case 'allow-null':
    case 'leave-column':
      return [notNullSql({ table: step.table, column: step.column, isNotNull: false })]
    case 'require':
      return [notNullSql({ table: step.table, column: step.column, isNotNull: true })]
    case 'refer':
      return [referenceEdit(step)]
    case 'create-index':
      return [createIndex(step.table, step.index)]
    case 'rename-index':
      return [`DROP INDEX ${quote(step.from)}`, createIndex(step.table, step.index)]
    case 'drop-index':
      return [`DROP INDEX ${quote(step.index)}`]
    // These steps do nothing here: no other instance runs during a migration, so none needs an old
    // name, column or table.
    case 'drop-alias':
    case 'leave-table':
    case 'return-table':
    case 'return-column':
    case 'mirror-column':
    case 'create-search':
    case 'drop-search':
    case 'recompute':
    case 'fill':
    case 'count':
    case 'number':
    case 'place':
    case 'link':
    case 'refill':
    case 'rename-words':
    case 'create-key': // a table loses its key with itself alone
      return []
  }
}

function tableOf({ tables }: SchemaModel, name: string): ModelTable {
  return tables.find((table) => table.name === name) as ModelTable
}

/** With those of the numbers that the engine counts in its tables. */
export function statementsOf(step: MigrationStep, state: SchemaModel): string[] {
  return [...ownStatements(step, state), ...seriesSql(step, state)]
}
