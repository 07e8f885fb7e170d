/**
 * Reads the tables, columns, indexes and keys that a PostgreSQL database really has, not those of
 * its stored model. Each start runs its three statements.
 */
import type pg from 'pg'
import type { PresentReference, PresentSchema } from '../../model/drift.ts'

/** The catalogs show columns that information_schema hides from users who own no table. */
const columnsSql = `SELECT t.relname AS name, a.attname AS column FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
  WHERE t.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped AND t.relnamespace = quote_ident(current_schema())::regnamespace`
/** An unfinished index does not count. Expressions have no columns. */
const indexesSql = `SELECT t.relname AS name, i.relname AS index, x.indisunique AS unique, string_agg(a.attname::text, chr(10) ORDER BY k.n) AS columns
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k(attnum, n)
    LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
  WHERE t.relnamespace = quote_ident(current_schema())::regnamespace AND x.indisvalid GROUP BY 1, 2, 3`

/**
 * Primary keys, and foreign keys of one column. One that is not validated holds for new writes.
 */
const keysSql = `SELECT t.relname AS name, k.contype AS kind, k.confdeltype AS end, p.relname AS target,
    (SELECT string_agg(a.attname::text, chr(10) ORDER BY c.n) FROM unnest(k.conkey) WITH ORDINALITY AS c(attnum, n)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.attnum) AS columns,
    (SELECT string_agg(a.attname::text, chr(10)) FROM pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = ANY (k.confkey)) AS to
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid LEFT JOIN pg_class p ON p.oid = k.confrelid
  WHERE k.contype IN ('p', 'f') AND t.relnamespace = quote_ident(current_schema())::regnamespace`

const ends: Readonly<Record<string, PresentReference['onDelete']>> = { a: 'refuse', c: 'cascade', n: 'set null' }

type Keys = { primary: readonly string[]; foreign: Map<string, PresentReference[]> }
type One = {
  readonly columns: Set<string>
  readonly indexes: Map<string, { columns: readonly string[]; unique: boolean }>
  readonly keys: Keys
}

function readKey({ keys: { foreign }, keys }: One, row: Record<'kind' | 'end' | 'target' | 'columns' | 'to', string>) {
  const columns = row.columns.split('\n')
  if (row.kind === 'p') keys.primary = columns
  else if (columns.length === 1)
    foreign.set(row.columns, [
      ...(foreign.get(row.columns) ?? []),
      { table: row.target, column: row.to, onDelete: ends[row.end] },
    ])
}

export async function presentOf(client: pg.ClientBase): Promise<PresentSchema> {
  const columns = await client.query(columnsSql)
  const indexes = await client.query(indexesSql)
  const keys = await client.query(keysSql)
  const present = new Map<string, One>()
  for (const { name, column } of columns.rows) {
    const one = present.get(name) ?? {
      columns: new Set(),
      indexes: new Map(),
      keys: { primary: [], foreign: new Map() },
    }
    one.columns.add(column)
    present.set(name, one)
  }
  for (const { name, index, unique, columns: over } of indexes.rows)
    present.get(name)?.indexes.set(index, { columns: over?.split('\n') ?? [], unique })
  for (const { name, ...key } of keys.rows) {
    const one = present.get(name)
    if (one) readKey(one, key)
  }
  return present
}
