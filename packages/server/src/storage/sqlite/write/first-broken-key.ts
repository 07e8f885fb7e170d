/**
 * Finds the first broken unique key of a refused statement, in the order in which the keys were
 * made. SQLite names the newest one, PostgreSQL the oldest. Only refused writes pay for it.
 */

import type { IntendedRows } from '../../sql/broken-keys.ts'
import { quote } from '../../sql/ddl-words.ts'
import type { Executor } from '../../sql/reader.ts'

/** Columns of one unique index; the oldest index comes first. */
async function keysOf({ all }: Executor, table: string): Promise<readonly string[][]> {
  const sql = `SELECT i.seq, c.name FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
    WHERE i."unique" = 1 ORDER BY i.seq DESC, c.seqno`
  const keys = new Map<unknown, string[]>()
  for (const [index, column] of await all({ sql, parameters: [table] }))
    keys.set(index, [...(keys.get(index) ?? []), column as string])
  return [...keys.values()]
}

/** Undefined where no row breaks a key. */
export async function firstBrokenKey(
  executor: Executor,
  { table, idColumn, rows, id }: IntendedRows,
): Promise<readonly string[] | undefined> {
  const keys = await keysOf(executor, table)
  const others = id === undefined ? '' : ` AND ${quote(idColumn)} <> ?`
  const written = new Set<string>()
  for (const row of rows) {
    for (const key of keys) {
      const cells = key.map((column) => row.get(column) ?? null)
      if (cells.includes(null)) continue
      const where = key.map((column) => `${quote(column)} = ?`).join(' AND ')
      const sql = `SELECT 1 FROM ${quote(table)} WHERE ${where}${others} LIMIT 1`
      const name = [key, ...cells].map(String).join('\0')
      const parameters = id === undefined ? cells : [...cells, id]
      if (written.has(name) || (await executor.first({ sql, parameters }))) return key
      written.add(name)
    }
  }
  return undefined
}
