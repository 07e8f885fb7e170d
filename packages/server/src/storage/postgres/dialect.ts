/**
 * PostgreSQL's SQL. Texts have the collation "C": they sort by code point, independent of the
 * database's own order.
 */
import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { wordStart } from '../../base/fold.ts'
import type { Scalar } from '../../resource/condition.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { columnOf } from '../model/model.ts'
import type { Dialect } from '../sql/dialect.ts'
import { kysely, sql } from '../sql/kysely.ts'
import { columnNames, decodeLong, selection } from '../sql/select-rows.ts'
import { daysBefore1970, secondsBefore1970, textPart, weekOf } from '../sql/time-part.ts'
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

/** A name of a list is none of its items: `json -> text` takes members of objects alone. */
function memberOf(column: Expression<unknown>, path: readonly unknown[]): Expression<unknown> {
  return path.reduce<Expression<unknown>>((at, name) => sql`(${at} -> cast(${name} as text))`, column)
}

/** Days from 0000-01-01. PostgreSQL has no year 0: it is counted from 4, a leap year too. */
function daysOfText(column: Expression<unknown>) {
  const day = sql`case when ${column} < '0001' then cast('0004' || substr(${column}, 5) as date) - 1461 else cast(${column} as date) end`
  return sql`(${day}) - date '1970-01-01' + ${sql.lit(daysBefore1970)}`
}

function daysOfMoment(column: Expression<unknown>, offset: RawBuilder<unknown> | undefined) {
  const seconds = sql`cast(floor(extract(epoch from ${column})) as bigint)`
  return sql`(${seconds} + ${offset ?? sql.lit(0)} + ${sql.lit(secondsBefore1970)}) / 86400`
}

/**
 * The maximum size of an index key: 2,704 bytes as stored, compressed if that helps, less some for
 * its header and padding.
 */
const keyBytesMax = 2_680

const hasItem: Dialect['hasItem'] = (column, item) => sql<SqlBool>`${sql.ref(column)} @> ${item}::jsonb`

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
  listEach({ resource: one, type, given, of, most }) {
    const shown = sql.join(columnNames(one).map((column) => sql.ref(column)))
    const values = sql`unnest(${given}::${sql.raw(type === 'integer' ? 'bigint' : 'text')}[]) as given(value)`
    const rows = of(selection(postgresDialect, one))
    return sql`select ${shown} from ${values} cross join lateral ${rows} as ${sql.id(one.table)} limit ${most}`
  },
  limit: (most) => sql<number>`${most}`,
  mergesUnions: false, // its planner would sort all rows of both branches
  lockClause: {
    name: sql`for key share`,
    share: sql`for share`,
    change: sql`for no key update`,
    delete: sql`for update`,
  },
  encode(type, value) {
    if (type === 'timestamp') return encodeTimestamp(value as string)
    if (type === 'long') return String(value)
    return type === 'json' || type === 'document' ? JSON.stringify(value) : value
  },
  decode: { long: decodeLong }, // the rest by the driver, see driver-values.ts
  includes: (column, part) => sql<SqlBool>`${sql.ref(column)} like '%' || ${asPattern(part)} || '%'`,
  beginsWith: (column, part) => sql<SqlBool>`${sql.ref(column)} like ${asPattern(part)} || '%'`,
  isIn: (column, list) => sql<SqlBool>`${sql.ref(column)} = any(${list})`,
  encodeList: (values) => values,
  // No stored text has such characters, and the parser of JSON refuses them.
  encodeItem: (item) => (typeof item === 'string' && /\0|\p{Cs}/u.test(item) ? '{}' : JSON.stringify(item)),
  hasItem,
  hasFraction: hasItem, // exact: the numbers of jsonb are decimal
  hasItems: (column) => sql<SqlBool>`jsonb_array_length(${sql.ref(column)}) > 0`,
  encodePath: (path) => path,
  member: (column, path) => sql`cast(${memberOf(column, path)} as text)`,
  memberText(column, path) {
    const own = memberOf(column, path)
    return sql`(case when json_typeof(${own}) = 'string' then ${own} #>> '{}' end collate "C")`
  },
  memberNumber(column, path) {
    const own = memberOf(column, path)
    return sql`case when json_typeof(${own}) = 'number' then cast(${own} #>> '{}' as double precision) end`
  },
  timePart(column, { kind, unit, offset }) {
    if (unit === 'week') return weekOf(kind === 'day' ? daysOfText(column) : daysOfMoment(column, offset))
    if (kind !== 'moment') return textPart(column, kind, unit)
    const shift = offset ? sql` + make_interval(secs => ${offset})` : sql``
    const form = { hour: 'YYYY-MM-DD"T"HH24', day: 'YYYY-MM-DD', month: 'YYYY-MM', quarter: 'YYYY-"Q"Q', year: 'YYYY' }
    const text = sql`to_char(${column} at time zone 'UTC'${shift}, ${sql.lit(`BC${form[unit]}`)})`
    // The year 0 is 1 BC there.
    return sql`replace(replace(${text}, 'BC0001', '0000'), 'AD', '')`
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
