/**
 * A column's NOT NULL, taken away or set. SQLite has a statement for it from 3.53; Node 24.15 has
 * 3.51. There the stored text of the table is edited, as SQLite documents it for changes that leave
 * the rows as they are (lang_altertable, section 8).
 */
import type { DatabaseSync } from 'node:sqlite'
import { quote, textLiteral } from '../../sql/ddl-words.ts'
import { isAtLeast } from '../file/library.ts'

const firstWithAlterColumn = [3, 53, 0] as const
const editFunction = 'bindery_with_not_null'

/** Texts and names in quotes, or what stands between them, by character. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[^'"]/g
const words = ' NOT NULL'

export function tokensOf(sql: string): readonly string[] {
  return sql.match(tokens) ?? []
}

/** From where to where the definition of a column goes, in tokens: between two commas of the outer parentheses. */
export function findDefinition(
  parts: readonly string[],
  column: string,
): { readonly from: number; readonly to: number } {
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

/** `withNotNull('CREATE TABLE "t" ("a" TEXT NOT NULL)', 'a', false)` → `CREATE TABLE "t" ("a" TEXT)`. Throws when it has no such column. */
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

/** For a connection that migrates. */
export function addNotNullEditing(database: DatabaseSync): void {
  database.function(editFunction, { directOnly: true }, (sql, column, mode) => {
    if (mode === 'refuse') throw new Error(`NOT NULL constraint failed: ${column}`)
    return withNotNull(String(sql), String(column), mode === 'set')
  })
}

type Change = { readonly table: string; readonly column: string; readonly isNotNull: boolean }

/** `version`: of SQLite. Setting it fails where a row has no value. */
export function notNullSql({ table, column, isNotNull }: Change, version = process.versions.sqlite ?? ''): string[] {
  const verb = isNotNull ? 'SET' : 'DROP'
  if (isAtLeast(version, firstWithAlterColumn))
    return [`ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} ${verb} NOT NULL`]
  const hasNulls = `EXISTS (SELECT 1 FROM ${quote(table)} WHERE ${quote(column)} IS NULL)`
  const mode = isNotNull ? `iif(${hasNulls}, 'refuse', 'set')` : "'drop'"
  const edited = `${editFunction}(sql, ${textLiteral(column)}, ${mode})`
  return [
    'PRAGMA writable_schema = ON',
    `UPDATE sqlite_schema SET sql = ${edited} WHERE type = 'table' AND name = ${textLiteral(table)}`,
    'PRAGMA writable_schema = RESET',
    // A table that comes and goes: whoever else has the file open reads its schema anew.
    'CREATE TABLE bindery_schema_changed (none INTEGER)',
    'DROP TABLE bindery_schema_changed',
  ]
}
