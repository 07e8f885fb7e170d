/**
 * Changes a column's reference or its NOT NULL in the stored SQL text of its table. SQLite
 * documents this method for changes that leave the rows as they are (lang_altertable, section 8).
 * From 3.53 it has a statement for NOT NULL; Node 24.15 has 3.51.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { ModelColumn } from '../../model/model.ts'
import { quote, referencesSql, textLiteral } from '../../sql/ddl-words.ts'
import { isAtLeast } from '../file/library.ts'

const firstWithAlterColumn = [3, 53, 0] as const
const notNullFunction = 'bindery_with_not_null'
const referenceFunction = 'bindery_with_reference'

/** Quoted texts and names as one token each, all other text by character. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[^'"]/g
const words = ' NOT NULL'

function tokensOf(sql: string): readonly string[] {
  return sql.match(tokens) ?? []
}

/** The range of tokens that defines a column: between two commas of the outer parentheses. */
function findDefinition(parts: readonly string[], column: string): { readonly from: number; readonly to: number } {
  let depth = 0
  let from: number | undefined
  for (const [i, part] of parts.entries()) {
    const isEnd = depth === 1 && (part === ',' || part === ')')
    if (isEnd && from !== undefined) return { from, to: i }
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    const isStart = depth === 1 && (part === '(' || part === ',')
    if (!isStart) continue
    const first = parts.findIndex((one, at) => at > i && one.trim() !== '')
    if (parts[first] === quote(column)) from = first
  }
  throw new Error(`no column ${column} in ${parts.join('')}`)
}

/**
 * `withNotNull('CREATE TABLE "t" ("a" TEXT NOT NULL)', 'a', false)` → `CREATE TABLE "t" ("a"
 * TEXT)`. Throws when it has no such column.
 */
export function withNotNull(createTable: string, column: string, isNotNull: boolean): string {
  const parts = tokensOf(createTable)
  const { from, to } = findDefinition(parts, column)
  const definition = parts.slice(from, to)
  const at = definition.findIndex((_, i) => definition.slice(i, i + words.length).join('') === words)
  if ((at !== -1) === isNotNull) return createTable
  if (!isNotNull) return [...parts.slice(0, from + at), ...parts.slice(from + at + words.length)].join('')
  const type = /^ \w+/.exec(definition.slice(1).join(''))?.[0] ?? ''
  const afterType = from + 1 + type.length
  return [...parts.slice(0, afterType), words, ...parts.slice(afterType)].join('')
}

/** Skips the quoted texts that a default may contain. */
const clause = /('(?:[^']|'')*')| REFERENCES "[^"]+" ?\("[^"]+"\)(?: ON DELETE (?:CASCADE|SET NULL))?/g

/**
 * The table with this clause in place of the column's current one. Throws when there is no such
 * column.
 */
export function withReference(createTable: string, column: string, wanted: string): string {
  const parts = tokensOf(createTable)
  const { from, to } = findDefinition(parts, column)
  const definition = parts.slice(from, to).join('')
  const bare = definition.replace(clause, (_all, text: string | undefined) => text ?? '').trimEnd()
  return [...parts.slice(0, from), bare, wanted === '' ? '' : ` ${wanted}`, ...parts.slice(to)].join('')
}

/** For a connection that migrates. */
export function addTextEditing(database: DatabaseSync): void {
  database.function(notNullFunction, { directOnly: true }, (sql, column, mode) => {
    if (mode === 'refuse') throw new Error(`NOT NULL constraint failed: ${column}`)
    return withNotNull(String(sql), String(column), mode === 'set')
  })
  database.function(referenceFunction, { directOnly: true }, (sql, column, wanted) =>
    withReference(String(sql), String(column), String(wanted)),
  )
}

const editing = 'PRAGMA writable_schema = ON;'

/**
 * Joins statements into one text, so that a connection turns off its defensive mode only for them
 * (`executeEdits`). `edited`: the new text of the table, as an expression of the old one.
 */
function editText(table: string, edited: string): string {
  return [
    editing,
    `UPDATE sqlite_schema SET sql = ${edited} WHERE type = 'table' AND name = ${textLiteral(table)};`,
    'PRAGMA writable_schema = RESET;',
    // Creating and dropping a table makes connections that have the file open read its schema
    // again.
    'CREATE TABLE bindery_schema_changed (none INTEGER);',
    'DROP TABLE bindery_schema_changed',
  ].join(' ')
}

type NotNull = { readonly table: string; readonly column: string; readonly isNotNull: boolean }

/** `version`: of SQLite. Setting NOT NULL fails where a row has no value. */
export function notNullSql({ table, column, isNotNull }: NotNull, version = process.versions.sqlite ?? ''): string {
  const verb = isNotNull ? 'SET' : 'DROP'
  if (isAtLeast(version, firstWithAlterColumn))
    return `ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} ${verb} NOT NULL`
  const hasNulls = `EXISTS (SELECT 1 FROM ${quote(table)} WHERE ${quote(column)} IS NULL)`
  const mode = isNotNull ? `iif(${hasNulls}, 'refuse', 'set')` : "'drop'"
  return editText(table, `${notNullFunction}(sql, ${textLiteral(column)}, ${mode})`)
}

/**
 * A restricting reference has no foreign key in the file: its one writer looks for referring
 * records before a delete.
 */
export function boundReference({ references }: Pick<ModelColumn, 'references'>): ModelColumn['references'] {
  return references?.onDelete === 'refuse' ? undefined : references
}

type Reference = { readonly table: string; readonly column: string; readonly references: ModelColumn['references'] }

export function referenceEdit({ table, column, references }: Reference): string {
  const bound = boundReference({ references })
  const edited = `${referenceFunction}(sql, ${textLiteral(column)}, ${textLiteral(bound ? referencesSql(bound) : '')})`
  return editText(table, edited)
}

/**
 * Runs a statement of a migration. Node refuses edits of the schema's text except with its
 * `defensive` mode off.
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
