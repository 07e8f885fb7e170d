/** SQLite's SQL. Booleans are 0 and 1, timestamps and lists are text; texts compare by their bytes, which is by code point. */
import { DummyDriver, Kysely, type SqlBool, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import { columnOf } from '../model/model.ts'
import type { Dialect } from '../sql/dialect.ts'

/** The row number by which the full-text index names rows, in tables without a generated id. Nothing outside this folder knows it. */
export const rowIdColumn = 'row_id'

/** Trigrams looked up per word; more would only repeat the exact comparison. */
const trigramsMax = 8

/** The overlapping trigrams of a word, by code point; words under three characters have none. `trigramsOf('abcd')` → `['abc', 'bcd']` */
export function trigramsOf(word: string): string[] {
  const points = [...word]
  const trigrams = points.slice(2).map((point, i) => `${points[i]}${points[i + 1]}${point}`)
  return trigrams.slice(0, trigramsMax)
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`
}

export function searchTableOf(table: string): string {
  return `${table}_search`
}

export const sqliteDialect: Dialect = {
  builder: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  nullsAreSmallest: true,
  insertsOneOrFails: true,
  lockClause: {}, // there is one writer, so a transaction locks the whole file
  encode(type, value) {
    if (type === 'boolean') return value ? 1 : 0
    return type === 'json' ? JSON.stringify(value) : value
  },
  decode: { boolean: (cell) => cell === 1, json: (cell) => JSON.parse(cell as string) },
  includes: (column, part) => sql<SqlBool>`instr(${sql.ref(column)}, ${part}) > 0`,
  beginsWith: (column, part) => sql<SqlBool>`instr(${sql.ref(column)}, ${part}) = 1`,
  isIn: (column, list) => sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`,
  encodeList: (values) => JSON.stringify(values),
  hasItem: (column, item) => sql<SqlBool>`exists (select 1 from json_each(${sql.ref(column)}) where value = ${item})`,
  candidates(resource: Resource, words) {
    const trigrams = words.flatMap(trigramsOf)
    if (trigrams.length === 0) return undefined
    const search = searchTableOf(resource.table)
    const rowid = resource.hasCountedId ? columnOf(resource.idField) : rowIdColumn
    return {
      kind: 'trigrams',
      value: [...new Set(trigrams)].map(quoted).join(' '),
      where: (value) =>
        sql<SqlBool>`${sql.ref(`${resource.table}.${rowid}`)} in (select rowid from ${sql.table(search)} where ${sql.table(search)} match ${value})`,
    }
  },
}
