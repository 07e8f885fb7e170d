/** The table of a file's own settings, by name: its model, marks, notes. */
import type { SqliteConnection } from './connection.ts'

export function readMeta({ database }: SqliteConnection, name: string): string | undefined {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'bindery_meta'").get()) return undefined
  const row = database.prepare('SELECT value FROM bindery_meta WHERE name = ?').get(name)
  return (row as { value: string } | undefined)?.value
}

export function writeMeta({ database }: SqliteConnection, name: string, value: string): void {
  const insert = 'INSERT INTO bindery_meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
  database.prepare(insert).run(name, value)
}
