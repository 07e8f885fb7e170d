/** The table of a database's own settings, by name: its model, marks, the generated secret. */
import type pg from 'pg'

export type MetaTable = {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

export function metaOf(client: pg.ClientBase): MetaTable {
  return {
    async get(name) {
      const known = await client.query("SELECT to_regclass('bindery_meta') IS NOT NULL AS known")
      if (!known.rows[0].known) return undefined
      return (await client.query('SELECT value FROM bindery_meta WHERE name = $1', [name])).rows[0]?.value
    },
    async set(name, value) {
      const insert = 'INSERT INTO bindery_meta VALUES ($1, $2)'
      await client.query(`${insert} ON CONFLICT (name) DO UPDATE SET value = excluded.value`, [name, value])
    },
    async remove(name) {
      await client.query('DELETE FROM bindery_meta WHERE name = $1', [name])
    },
  }
}
