/**
 * PostgreSQL's SQL. Texts have the collation "C": they sort by code point, independent of the
 * database's own order.
 */
import type { SqlBool } from 'kysely'
import type { Scalar } from '../../resource/condition.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { wordStart } from '../../value/fold.ts'
import { columnOf } from '../model/model.ts'
import type { Dialect } from '../sql/dialect.ts'
import { kysely, sql } from '../sql/kysely.ts'
import { selection } from '../sql/select-rows.ts'
import { encodeTimestamp } from './connect/driver-values.ts'

const { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } = kysely

/** Characters of a word that the index keeps; longer words are still compared exactly. */
export const wordLengthMax = 60

/**
 * A bound text as a LIKE pattern that matches only itself, with either setting of
 * `standard_conforming_strings`.
 */
function asPattern(part: unknown) {
  return sql`replace(replace(replace(${part}, E'\\\\', E'\\\\\\\\'), '%', E'\\\\%'), '_', E'\\\\_')`
}

/** `a lexeme` → `'a lexeme'`, as the text of a tsquery. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/**
 * The tsquery for one searched word. Between two marks a word is whole; after the last mark it is a
 * prefix: `'^wi-^fi'` → `'wi-' & 'fi':*`. Text before the first mark may occur anywhere, and only
 * the exact comparison checks it.
 */
function lexemesOf(word: string, tenants: readonly Scalar[] | undefined): string[] {
  const parts = word.split(wordStart).slice(1)
  const marks = tenants?.map((tenant) => `${tenant}${wordStart}`) ?? ['']
  return parts.map((part, i) => {
    const kept = [...part].slice(0, wordLengthMax).join('')
    const ending = i === parts.length - 1 ? ':*' : ''
    const terms = marks.map((mark) => `${quoted(`${mark}${kept}`)}${ending}`)
    return terms.length === 1 ? (terms[0] as string) : `(${terms.join(' | ')})`
  })
}

/**
 * The maximum size of an index key: 2,704 bytes as stored, compressed if that helps, less some for
 * its header and padding.
 */
const keyBytesMax = 2_680

export const postgresDialect: Dialect = {
  outgrowsIndex: (columns) =>
    `${columns.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(' + ')} > ${keyBytesMax}`,
  builder: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  nullsAreSmallest: false,
  tableBy: (table) => sql`${sql.table(table)}`.as(table), // the planner has statistics
  listEach({ resource: one, type, columns, given, of, most }) {
    const shown = sql.join(columns.map((column) => sql.ref(column)))
    const values = sql`unnest(${given}::${sql.raw(type === 'integer' ? 'bigint' : 'text')}[]) as given(value)`
    const rows = of(selection(postgresDialect, one))
    return sql`select ${shown} from ${values} cross join lateral ${rows} as ${sql.id(one.table)} limit ${most}`
  },
  limit: (most) => sql<number>`${most}`,
  mergesUnions: false, // its planner would sort all rows of both branches
  lockClause: { share: sql`for share`, change: sql`for no key update`, delete: sql`for update` },
  encode(type, value) {
    if (type === 'timestamp') return encodeTimestamp(value as string)
    return type === 'json' ? JSON.stringify(value) : value
  },
  decode: {}, // by the driver, see driver-values.ts
  includes: (column, part) => sql<SqlBool>`${sql.ref(column)} like '%' || ${asPattern(part)} || '%'`,
  beginsWith: (column, part) => sql<SqlBool>`${sql.ref(column)} like ${asPattern(part)} || '%'`,
  isIn: (column, list) => sql<SqlBool>`${sql.ref(column)} = any(${list})`,
  encodeList: (values) => values,
  hasItem: (column, item) => sql<SqlBool>`${sql.ref(column)} ? ${item}`,
  timePart(column, unit) {
    const form = { day: 'YYYY-MM-DD', month: 'YYYY-MM', year: 'YYYY' }[unit]
    const time = sql`${column} at time zone 'UTC'`
    const text = sql`to_char(${time}, ${sql.lit(form)})`
    // PostgreSQL writes the year before 1 as 1 too.
    return sql`case when extract(year from ${time}) < 1 then '0000' || substr(${text}, 5) else ${text} end`
  },
  findWords(resource, words, tenants) {
    const lexemes = words.flatMap((word) => lexemesOf(word, tenants))
    if (lexemes.length === 0) return undefined
    const ref = (column: string) => sql.ref(`${resource.table}.${column}`)
    const own = tenants && columnOf(ownTenantField(resource) as string)
    const found = own
      ? sql`bindery_tenant_words(${ref('search')}, ${ref(own)}::text)`
      : sql`bindery_words(${ref('search')})`
    return {
      kind: own ? 'lexemes of tenants' : 'lexemes',
      values: [[...new Set(lexemes)].join(' & ')],
      // nothing is saved without it: rows are read anyway, and walks of other indexes filter by it
      // cheaply
      undecided: words,
      where: ([query]) => sql<SqlBool>`${found} @@ ${query}::text::tsquery`,
    }
  },
  findPart: () => undefined, // the index of trigrams serves the comparison itself
}
