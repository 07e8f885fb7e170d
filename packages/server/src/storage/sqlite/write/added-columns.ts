/** Adds the columns that later versions gave to one of the service's own tables. */
import type { DatabaseSync } from 'node:sqlite'

/** `columns`: the type of each, by its name. SQLite has no ADD COLUMN IF NOT EXISTS. */
export function addMissingColumns(
  database: DatabaseSync,
  table: string,
  columns: Readonly<Record<string, string>>,
): void {
  const found = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  const there = new Set(found.map(({ name }) => name))
  for (const [name, type] of Object.entries(columns))
    if (!there.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
}
