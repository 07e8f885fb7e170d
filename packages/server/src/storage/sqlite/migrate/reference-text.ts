/**
 * Changes a column's reference in place, in the text of its table. SQLite has no statement for it;
 * its manual describes editing the stored text for changes that leave the rows as they are
 * (lang_altertable, section 8). That no row refers to nothing has been looked at before.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Column } from '../../model/model.ts'
import { quote, referencesSql, textLiteral } from '../../sql/ddl-words.ts'
import { findDefinition, tokensOf } from './not-null.ts'

const editFunction = 'bindery_with_reference'
const editing = 'PRAGMA writable_schema = ON;'

/** Behind the texts in quotes that a default may hold. */
const clause = /('(?:[^']|'')*')| REFERENCES "[^"]+" ?\("[^"]+"\)(?: ON DELETE (?:CASCADE|SET NULL))?/g

/**
 * The column with this clause in place of the one that it has. Throws when there is no such column.
 */
export function withReference(createTable: string, column: string, wanted: string): string {
  const parts = tokensOf(createTable)
  const { from, to } = findDefinition(parts, column)
  const definition = parts.slice(from, to).join('')
  const bare = definition.replace(clause, (_all, text: string | undefined) => text ?? '').trimEnd()
  return [...parts.slice(0, from), bare, wanted === '' ? '' : ` ${wanted}`, ...parts.slice(to)].join('')
}

/** For a connection that migrates. */
export function addReferenceEditing(database: DatabaseSync): void {
  database.function(editFunction, { directOnly: true }, (sql, column, wanted) =>
    withReference(String(sql), String(column), String(wanted)),
  )
}

/**
 * A reference that refuses is none to the file: it has one writer, who looks for what refers to a
 * record before it goes.
 */
export function boundReference({ references }: Pick<Column, 'references'>): Column['references'] {
  return references?.onDelete === 'refuse' ? undefined : references
}

type Change = { readonly table: string; readonly column: string; readonly references: Column['references'] }

/**
 * One text of several statements, so that a connection lets down its guard for them alone
 * (`executeEdits`).
 */
export function referenceEdit({ table, column, references }: Change): string {
  const bound = boundReference({ references })
  const edited = `${editFunction}(sql, ${textLiteral(column)}, ${textLiteral(bound ? referencesSql(bound) : '')})`
  return [
    editing,
    `UPDATE sqlite_schema SET sql = ${edited} WHERE type = 'table' AND name = ${textLiteral(table)};`,
    'PRAGMA writable_schema = RESET;',
    // A table that comes and goes: connections that have the file open read its schema anew.
    `CREATE TABLE ${quote('bindery_schema_changed')} (none INTEGER);`,
    `DROP TABLE ${quote('bindery_schema_changed')}`,
  ].join(' ')
}

/**
 * Runs a statement of a migration. Node refuses edits of the schema's text unless it is told (its
 * `defensive` mode).
 */
export function executeEdits(database: DatabaseSync, sql: string): void {
  if (!sql.startsWith(editing)) return void database.exec(sql)
  const guard = (on: boolean) => (database as { enableDefensive?(on: boolean): void }).enableDefensive?.(on)
  guard(false)
  try {
    database.exec(sql)
  } finally {
    guard(true)
  }
}
