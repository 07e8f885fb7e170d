/**
 * Parses the query parameters of a list, for every resource, over REST and GraphQL and on the
 * command line.
 */

import { parseSearch } from '../base/fold.ts'
import type { Resource, SortKey } from '../resource/catalog.ts'
import { all, always, type Condition, never } from '../resource/condition.ts'
import { isLonger } from '../resource/fields/text.ts'
import { takesParameter } from '../resource/list-style.ts'
import { fingerprintOf, readCursor, readIdCursor } from './cursor.ts'
import { addsToRecords, parseSelection } from './expansion.ts'
import { parseFilter } from './filter.ts'
import { type FilterContext, parseFilterText, parseTree } from './filter-tree.ts'
import { listLimits } from './list-limits.ts'
import type { ListQuery, Paging, Selection } from './operation.ts'
import { parseLimit, parsePage } from './page.ts'
import { type Parameters, parameterError, unknownParameter } from './parameters.ts'
import { parseSort } from './sort.ts'
import { onAllRecords } from './visible-fields.ts'

export type ParsedList = Selection & { readonly query: ListQuery }

/**
 * Throws `bad-request` for more than `searchLengthMax` characters. An empty `q` restricts nothing.
 */
function parseQ(q: string | undefined): Condition {
  if (q === undefined) return all()
  const { searchLengthMax } = listLimits
  if (isLonger(q, searchLengthMax)) throw parameterError('q', `q must be at most ${searchLengthMax} characters`)
  if (!q.isWellFormed() || q.includes('\0')) throw parameterError('q', 'q must be valid text')
  const words = parseSearch(q)
  if (words.length > 0) return { kind: 'search', words }
  // the words are marks without a letter: no word begins with them
  return q.trim() === '' ? always : never
}

function parseWhere({ tree, ...filtered }: ListContext, parameters: Parameters): Condition {
  const { resource } = filtered
  const conditions: Condition[] = [parseQ(parameters.get('q'))]
  const text = parameters.get('filter')
  if (text !== undefined) conditions.push(parseFilterText(filtered, text))
  if (tree !== undefined) conditions.push(parseTree({ ...filtered, skipsNull: true }, tree))
  for (const [name, text] of parameters) {
    if (takesParameter(resource.list, name)) continue
    const condition = parseFilter(filtered, name, text)
    if (!condition) throw unknownParameter(name)
    conditions.push(condition)
  }
  return all(...conditions)
}

function parsePaging(
  resource: Resource,
  parameters: Parameters,
  { sort, bind }: { sort: readonly SortKey[]; bind: () => string },
): Paging {
  const limit = parseLimit(parameters.get('limit'))
  const cursor = parameters.get('cursor')
  if (resource.list.style === 'cursor') {
    const after = cursor ? readIdCursor(cursor, resource) : null
    return { kind: 'cursor', after, limit, fingerprint: undefined }
  }
  if (cursor !== undefined) {
    if (parameters.has('page')) throw parameterError('cursor', 'cursor and page exclude each other')
    const fingerprint = bind()
    const after = cursor === '' ? null : readCursor(cursor, fingerprint, { resource, sort })
    return { kind: 'cursor', after, limit, fingerprint }
  }
  if (resource.list.style === 'all' && !parameters.has('page') && !parameters.has('limit')) return { kind: 'all' }
  return { kind: 'page', page: parsePage(parameters.get('page')), limit }
}

/** A resource as the caller sees it. */
type ListContext = FilterContext & {
  /** The path above a nested list; its cursors are bound to it. */
  readonly under?: string | undefined
  /** A filter that is an object already, as in GraphQL. */
  readonly tree?: unknown
}

/** The same view, in which every record shows every visible field, at one time for all pages. */
export function withoutConditions<C extends FilterContext>(filtered: C): C {
  const { viewOf } = filtered
  const viewOfAll = viewOf && ((one: Resource) => ({ ...viewOf(one), visibleWhere: onAllRecords }))
  const now = () => '2000-01-01T00:00:00.000Z'
  return { ...filtered, visibleWhere: onAllRecords, viewOf: viewOfAll, now }
}

/**
 * The filters as they were sent, which a cursor is bound to. A rule of a field that reads the clock
 * would give each page another condition, and so would a field that follows the time.
 */
function namedWhere(listed: ListContext, parameters: Parameters, where: Condition): Condition {
  const isTimed = listed.resource.timedNames.length > 0
  const isPlain = !isTimed && listed.visibleWhere.size === 0 && !parameters.has('filter') && listed.tree === undefined
  return isPlain ? where : parseWhere(withoutConditions(listed), parameters)
}

/**
 * Throws `bad-request` for an unknown parameter, an impossible value, or a cursor of another list.
 */
export function parseList(listed: ListContext, parameters: Parameters): ParsedList {
  const { resource, under = '' } = listed
  const where = parseWhere(listed, parameters)
  const sort = parseSort(listed, parameters.get('sort'))
  const paging = parsePaging(resource, parameters, {
    sort,
    bind: () => fingerprintOf({ resource, under, where: namedWhere(listed, parameters, where), sort }),
  })
  const selection = parseSelection(listed, parameters)
  // A stream begins before all of it is read, and shows each record as it comes.
  if (addsToRecords(selection) && paging.kind === 'all')
    throw parameterError('expand', 'expand needs a page: send page or limit')
  return { query: { where, sort, paging, total: paging.kind === 'page' }, ...selection }
}
