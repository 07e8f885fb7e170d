/** All rows of all tables. The pages of a file keep deleted bytes until they are used again. */
import { join } from 'node:path'
import { everythingStored, onPostgres } from '../../src/testing/index.ts'

export async function storedRows(folder: string): Promise<string> {
  if (onPostgres) return everythingStored(folder)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(folder, 'bindery.db'), { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all()
  const rows = tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()))
  database.close()
  return rows.join('\n')
}
