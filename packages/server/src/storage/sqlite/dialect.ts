/**
 * SQLite's SQL. Booleans are 0 and 1, timestamps and lists are text. Texts compare by their bytes,
 * which is by code point.
 */
import type { SqlBool } from 'kysely'
import type { Dialect } from '../sql/dialect.ts'
import { kysely, sql } from '../sql/kysely.ts'
import { decodeLong, readableColumns } from '../sql/select-rows.ts'
import { secondsBefore1970, textPart, weekOf } from '../sql/time-part.ts'
import { findPartBy, findWords, rareLettersFirst } from './texts/text-match.ts'
import { newRowColumns, rowNumberOf } from './texts/text-tables.ts'

/**
 * A row limit, as SQL with a bound value. SQLite plans by the value of a bare `LIMIT ?`, and so
 * prepares the statement again for each run. That takes 7 µs of the 11 of a small one
 * (`sqlite3ExprIsInteger`). It does not look at the value of an expression.
 */
export const boundLimit = 'limit +?'

const { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = kysely

/** In the place of an index: the table in the order of its row numbers. No index has this name. */
export const tableItself = ''

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
  tableBy(table, index) {
    const how = index === tableItself ? sql`not indexed` : sql`indexed by ${sql.id(index)}`
    return sql`${sql.table(table)}`.as<string>(sql`${sql.id(table)} ${how}`)
  },
  /**
   * SQLite has no lateral joins, so each value's rows are found by their numbers. It never changes
   * the order of a cross join.
   */
  listEach({ resource: one, given, of, most }) {
    const number = `${one.table}.${rowNumberOf(one)}`
    const numbers = of(sqliteDialect.builder.selectFrom(one.table).select(number))
    const shown = sql.join(readableColumns(one))
    const source = sql`json_each(${given}) as given cross join ${sql.table(one.table)}`
    return sql`select ${shown} from ${source} where ${sql.ref(number)} in ${numbers} limit ${sqliteDialect.limit(most)}`
  },
  limit: (most) => sql<number>`+${most}`, // as in `boundLimit`
  mergesUnions: true,
  insertsOneOrFails: true,
  alsoReturned: newRowColumns,
  lockClause: {}, // there is one writer, so a transaction locks the whole file
  encode(type, value) {
    if (type === 'boolean') return value ? 1 : 0
    if (type === 'long') return BigInt(value as bigint | string) // a copy has its text
    return type === 'json' || type === 'document' ? JSON.stringify(value) : value
  },
  decode: {
    boolean: (cell) => cell === 1,
    long: decodeLong,
    json: (cell) => JSON.parse(cell as string),
    document: (cell) => JSON.parse(cell as string),
  },
  includes: (column, part) => sql<SqlBool>`instr(${sql.ref(column)}, ${part}) > 0`,
  beginsWith: (column, part) => sql<SqlBool>`instr(${sql.ref(column)}, ${part}) = 1`,
  isIn: (column, list) => sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`,
  encodeList: (values) => (typeof values[0] === 'bigint' ? `[${values.join()}]` : JSON.stringify(values)),
  encodeItem: (item) => (typeof item === 'boolean' ? Number(item) : item),
  hasItems: (column) => sql<SqlBool>`json_array_length(${sql.ref(column)}) > 0`,
  hasItem: (column, item) => sql<SqlBool>`exists (select 1 from json_each(${sql.ref(column)}) where value = ${item})`,
  // `value` is read as a number, and some are read wrong. The operator gives the text of the item.
  hasFraction: (column, item) =>
    sql<SqlBool>`exists (select 1 from json_each(${sql.ref(column)}) where ${sql.ref(column)} -> fullkey = cast(${item} as text))`,
  encodePath: (path) => [`$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`],
  member: (column, [path]) => sql`(${column} -> ${path})`,
  memberText: (column, [path]) => sql`case when json_type(${column}, ${path}) = 'text' then ${column} ->> ${path} end`,
  memberNumber: (column, [path]) =>
    sql`case when json_type(${column}, ${path}) in ('integer', 'real') then ${column} ->> ${path} end`,
  timePart(column, { kind, unit, offset }) {
    if (unit === 'week') {
      const seconds = sql`unixepoch(${column}) + ${offset ?? sql.lit(0)} + ${sql.lit(secondsBefore1970)}`
      return weekOf(sql`(${seconds}) / 86400`)
    }
    const local = offset && sql`strftime('%Y-%m-%dT%H', ${column}, ${offset} || ' seconds')`
    return textPart(local ?? column, kind, unit)
  },
  findWords,
  findPart: findPartBy(rareLettersFirst),
}
