/**
 * Inserts by one hand-written transaction into Bindery's own table of products, with its indexes
 * and triggers. The program removes the last rows and inserts them again unchanged. Prints rows per
 * second of each round, as JSON. Arguments: file, rows, rounds.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

const [file, rows, rounds] = process.argv.slice(2) as [string, string, string]
const database = new DatabaseSync(file)
database.exec(
  'PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY',
)
const kept = database.prepare('SELECT * FROM products ORDER BY row_id DESC LIMIT ?').all(Number(rows)).reverse()
const columns = Object.keys(kept[0] ?? {})
const insert = database.prepare(
  `INSERT INTO products (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
)
const values = kept.map((row) => columns.map((name) => row[name] as SQLInputValue))
const rates: number[] = []
for (let round = 0; round < Number(rounds); round += 1) {
  database.prepare('DELETE FROM products WHERE row_id >= ?').run(kept[0]?.row_id as number)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const began = performance.now()
  database.exec('BEGIN IMMEDIATE')
  for (const row of values) insert.run(...row)
  database.exec('COMMIT')
  rates.push((values.length * 1000) / (performance.now() - began))
}
database.close()
process.stdout.write(JSON.stringify(rates))
