/**
 * Translates searches for words and parts of texts to queries of SQLite's full-text tables (FTS5).
 * The tokenizer `ascii` ends a token at every ASCII character that is no letter or digit. The word
 * mark is such a character. So a word without one starts a stored word exactly when it starts a
 * token.
 */
import type { RawBuilder } from 'kysely'
import { wordStart } from '../../../base/fold.ts'
import type { Resource } from '../../../resource/catalog.ts'
import type { Scalar } from '../../../resource/condition.ts'
import { columnOf, foldColumnOf, hasPartFilter } from '../../model/model.ts'
import type { Dialect, TextIndexQuery, TextIndexScan } from '../../sql/dialect.ts'
import { sql } from '../../sql/kysely.ts'
import { tenantMark } from './tenant-tokens.ts'
import {
  indexedPrefixMax,
  partsTableOf,
  rowNumberOf,
  tenantWordsTableOf,
  termsTableOf,
  wordsTableOf,
} from './text-tables.ts'

/**
 * A prefix longer than the indexed ones is replaced by its tokens, if there are at most this many.
 * Reading those is several times faster.
 */
const termsMax = 5
/**
 * The number of words of one search that are replaced so; each costs as much as reading some
 * hundred rows of the index.
 */
const expandedMax = 4

export function quoted(token: string): string {
  return `"${token.replaceAll('"', '""')}"`
}

type SearchToken = { readonly text: string; readonly isWhole: boolean }

/**
 * The tokens that a row must have for a marked word: whole ones, and at the end the beginning of
 * one. `'^wi-^fi'` → `wi` and `fi…`; `'^100%'` → `100`. Text before the first mark may be anywhere.
 */
function tokensOf(word: string): { readonly tokens: readonly SearchToken[]; readonly isDecided: boolean } {
  const [before, ...segments] = word.split(wordStart)
  const tokens = segments.flatMap((segment, i): SearchToken[] => {
    const text = /^[a-z0-9\u0080-\u{10ffff}]+/u.exec(segment)?.[0]
    return text === undefined ? [] : [{ text, isWhole: i < segments.length - 1 || text !== segment }]
  })
  return { tokens, isDecided: before === '' && tokens.length === 1 && !tokens[0]?.isWhole }
}

/** The least text that is greater than all texts with this prefix. `'ab'` → `'ac'` */
function endOf(prefix: string): string {
  const points = [...prefix]
  const last = (points.pop() as string).codePointAt(0) as number
  return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
}

/**
 * The tokens between two bounds as one FTS5 expression, or the prefix itself if there are too many.
 * Each step seeks the next token: the least greater text is the last token plus a zero, the least
 * character of tokens.
 */
function expanded(terms: string, from: unknown, to: unknown): RawBuilder<unknown> {
  const next = (least: RawBuilder<unknown>) =>
    sql`(select term from ${sql.table(terms)} where term >= ${least} and term < ${to} limit 1)`
  return sql`(with recursive known(term, n) as (select ${next(sql`${from}`)}, 1
    union all select ${next(sql`known.term || '0'`)}, n + 1 from known where known.term is not null and n <= ${sql.lit(termsMax)})
    select case when count(term) > ${sql.lit(termsMax)} then '"' || ${from} || '"*'
      else coalesce('(' || group_concat('"' || term || '"', ' OR ') || ')', '"' || ${from} || '"') end from known)`
}

function textMatch(
  resource: Resource,
  match: Pick<TextIndexQuery, 'kind' | 'values' | 'undecided'> & Pick<TextIndexScan, 'table' | 'matches' | 'most'>,
): TextIndexQuery {
  const { table, matches, most, ...rest } = match
  const rowNumber = `${resource.table}.${rowNumberOf(resource)}`
  const found = (slots: readonly unknown[]) => sql`select rowid from ${sql.table(table)} where ${matches(slots)}`
  return {
    ...rest,
    where: (slots) => sql`${sql.ref(rowNumber)} in (${found(slots)})`,
    walk: { table, numbers: `${table}.rowid`, rowNumber, matches, most },
  }
}

/** The token of any of these tenants. Without tenants all records share their tokens. */
function ofTenants(token: string, tenants: readonly Scalar[] | undefined, ending: '' | '*'): string {
  const terms = (tenants?.map(tenantMark) ?? ['']).map((mark) => `${quoted(`${mark}${token}`)}${ending}`)
  return terms.length === 1 ? (terms[0] as string) : `(${terms.join(' OR ')})`
}

export function findWords(
  resource: Resource,
  words: readonly string[],
  tenants: readonly Scalar[] | undefined,
): TextIndexQuery | undefined {
  const found = words.map((word) => ({ word, ...tokensOf(word) }))
  const expressions = new Set<string>()
  const long = new Set<string>()
  const longMax = tenants === undefined || tenants.length === 1 ? expandedMax : 0
  for (const { text, isWhole } of found.flatMap(({ tokens }) => tokens)) {
    if (isWhole) expressions.add(ofTenants(text, tenants, ''))
    else if ([...text].length <= indexedPrefixMax || long.size >= longMax)
      expressions.add(ofTenants(text, tenants, '*'))
    else long.add(`${tenants ? tenantMark(tenants[0] as Scalar) : ''}${text}`)
  }
  if (expressions.size + long.size === 0) return undefined
  const table = tenants ? tenantWordsTableOf(resource.table) : wordsTableOf(resource.table)
  const terms = termsTableOf(table)
  const isPlain = expressions.size > 0
  const bounds = [...long].flatMap((prefix) => [prefix, endOf(prefix)])
  return textMatch(resource, {
    kind: `${tenants ? 'tenant ' : ''}words ${isPlain} ${long.size}`,
    values: isPlain ? [[...expressions].join(' AND '), ...bounds] : bounds,
    undecided: found.flatMap(({ word, isDecided }) => (isDecided ? [] : [word])),
    table,
    matches(slots) {
      const [plain, ...others] = isPlain ? slots : [undefined, ...slots]
      const parts = isPlain ? [sql`${plain}`] : []
      for (let i = 0; i < others.length; i += 2) parts.push(expanded(terms, others[i], others[i + 1]))
      return sql`${sql.table(table)} match ${sql.join(parts, sql` || ' AND ' || `)}`
    },
  })
}

/**
 * The overlapping trigrams of a text, by code point; texts under three characters have none.
 * `trigramsOf('abcd')` → `['abc', 'bcd']`
 */
function trigramsOf(text: string): string[] {
  const points = [...text]
  return points.slice(2).map((point, i) => `${points[i]}${points[i + 1]}${point}`)
}

/**
 * Letters, the most frequent ones of European languages first. Any other character counts as rarer.
 */
const frequent = ' eainrtosludcmphgbfvkywzjxq'
/**
 * Trigrams looked up per part: each list is read to its end, so two short ones are better than all.
 */
const trigramsMax = 2

type RankedTrigrams = {
  /**
   * Each once, in the order of the lookups: the trigrams in the fewest texts of the table come
   * first.
   */
  readonly ranked: readonly string[]
  /** The limit of rows with the first one, where it is known. */
  readonly most?: number | undefined
}
export type RankTrigrams = (table: string, trigrams: readonly string[]) => RankedTrigrams

/** Ranks by their characters: an estimate without counts. */
export const rareLettersFirst: RankTrigrams = (_, trigrams) => {
  const rarityOf = (trigram: string) => {
    let sum = 0
    for (const point of trigram) sum += frequent.includes(point) ? frequent.indexOf(point) : frequent.length
    return sum
  }
  const ranked = [...new Set(trigrams)].map((trigram) => ({ trigram, rarity: rarityOf(trigram) }))
  return { ranked: ranked.toSorted((a, b) => b.rarity - a.rarity).map(({ trigram }) => trigram) }
}

/**
 * Finds rows by trigrams of a part in this order. The choice does not affect the result: the exact
 * comparison decides.
 */
export function findPartBy(rank: RankTrigrams): Dialect['findPart'] {
  return (resource, field, part) => {
    if (!hasPartFilter(resource, field)) return undefined
    const trigrams = trigramsOf(part)
    if (trigrams.length === 0) return undefined
    const table = partsTableOf(resource.table, foldColumnOf(field))
    const { ranked, most } = rank(table, trigrams)
    return textMatch(resource, {
      kind: `part ${columnOf(field)}`,
      values: [ranked.slice(0, trigramsMax).map(quoted).join(' AND ')],
      undecided: trigrams.length === 1 ? [] : [part],
      table,
      most,
      matches: ([asked]) => sql`${sql.table(table)} match ${asked}`,
    })
  }
}
