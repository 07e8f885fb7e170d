/**
 * Which tables, columns and indexes a PostgreSQL database really has, whatever it remembers. Read
 * with each start, by two statements.
 */
import type pg from 'pg'
import type { PresentSchema } from '../../model/drift.ts'

/** The catalogs show what the views of information_schema keep from users who own nothing of it. */
const columnsSql = `SELECT t.relname AS name, a.attname AS column FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
  WHERE t.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped AND t.relnamespace = quote_ident(current_schema())::regnamespace`
/** An index that was not finished is none. Expressions have no columns. */
const indexesSql = `SELECT t.relname AS name, i.relname AS index, x.indisunique AS unique, string_agg(a.attname::text, chr(10) ORDER BY k.n) AS columns
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k(attnum, n)
    LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
  WHERE t.relnamespace = quote_ident(current_schema())::regnamespace AND x.indisvalid GROUP BY 1, 2, 3`

export async function presentOf(client: pg.ClientBase): Promise<PresentSchema> {
  const columns = await client.query(columnsSql)
  const indexes = await client.query(indexesSql)
  const present = new Map<
    string,
    { columns: Set<string>; indexes: Map<string, { columns: readonly string[]; unique: boolean }> }
  >()
  for (const { name, column } of columns.rows) {
    const one = present.get(name) ?? { columns: new Set(), indexes: new Map() }
    one.columns.add(column)
    present.set(name, one)
  }
  for (const { name, index, unique, columns: over } of indexes.rows)
    present.get(name)?.indexes.set(index, { columns: over?.split('\n') ?? [], unique })
  return present
}
