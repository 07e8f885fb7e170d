/**
 * Parses the queries of code: filters, orders, pages and groups, in the words of lists. Values are
 * stored values. A caller of `records(things)` in JavaScript may have sent anything.
 */
import { fingerprintOf, readCursor } from '../operation/cursor.ts'
import { type FilterContext, parseFilterText } from '../operation/filter-tree.ts'
import { codeReadLimits } from '../operation/list-limits.ts'
import { withoutConditions } from '../operation/list-query.ts'
import type { Paging, SummaryOperation } from '../operation/operation.ts'
import { parameterError } from '../operation/parameters.ts'
import { parseSort } from '../operation/sort.ts'
import { parseSummary, zoneParameter } from '../operation/summary.ts'
import type { Resource, SortKey } from '../resource/catalog.ts'
import { WrongCallError } from '../resource/code/call-options.ts'
import { all, type Condition } from '../resource/condition.ts'
import { measureKinds } from '../resource/list-style.ts'
import { isTable } from '../resource/members.ts'
import { filterOf, filterText } from './stored-input.ts'

export type ReadQuery = Readonly<Record<string, unknown>>

const known = {
  find: ['filter', 'sort', 'limit'],
  page: ['filter', 'sort', 'limit', 'after'],
  each: ['filter', 'sort'],
  count: ['filter'],
  sum: ['filter'],
  groups: ['filter', 'by', ...measureKinds, 'sort', 'limit', 'zone'],
} as const satisfies Record<string, readonly string[]>
export type ReadMethod = keyof typeof known

/** A map and an instance of a class have no members of their own, so they would filter nothing. */
function isPlain(value: unknown): value is ReadQuery {
  if (!isTable(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** A misspelt filter would find every record. Throws `WrongCallError`. */
export function checkQuery(method: ReadMethod, query: unknown = {}): ReadQuery {
  if (!isPlain(query)) throw new WrongCallError(`${method} takes an object: { ${known[method].join(', ')} }`)
  const names: readonly string[] = known[method]
  const unknown = Object.keys(query).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new WrongCallError(`${method} takes ${names.join(', ')}, and no ${unknown.slice(0, 100)}`)
  return query
}

export function parseWhere(view: FilterContext, filter: unknown): Condition {
  if (filter === undefined) return all()
  if (!isPlain(filter)) throw parameterError('filter', 'filter must be an object')
  return parseFilterText(view, filterText(filterOf(view.resource, filter)))
}

/** A name, or a list of names → names with commas between them. */
function namesOf(parameter: string, given: unknown): string | undefined {
  if (given === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (names.every((name) => typeof name === 'string' && !name.includes(','))) return names.join(',')
  throw parameterError(parameter, `${parameter} must be a name, or a list of names`)
}

export function oldestFirst({ idField }: Resource): readonly SortKey[] {
  return [{ field: idField, descending: false }]
}

function parseOrder(view: FilterContext, sort: unknown): readonly SortKey[] {
  const names = namesOf('sort', sort) ?? ''
  return names === '' ? oldestFirst(view.resource) : parseSort(view, names)
}

function parseLimit(limit: unknown, { usual, max }: { readonly usual: number; readonly max: number }): number {
  if (limit === undefined) return usual
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= max) return limit as number
  throw parameterError('limit', `limit must be a whole number from 1 to ${max}`)
}

export type ParsedRead = { readonly where: Condition; readonly sort: readonly SortKey[] }

export function parseRead(view: FilterContext, { filter, sort }: ReadQuery): ParsedRead {
  return { where: parseWhere(view, filter), sort: parseOrder(view, sort) }
}

/** Of `find`; undefined for all. */
export function parseFound({ limit }: ReadQuery): number | undefined {
  const { foundMax } = codeReadLimits
  return limit === undefined ? undefined : parseLimit(limit, { usual: foundMax, max: foundMax })
}

/** Throws `bad-request` for a cursor of another list. */
export function parsePaging(view: FilterContext, query: ReadQuery, { sort }: ParsedRead): Paging & { kind: 'cursor' } {
  const { pageSize: usual, pageSizeMax: max } = codeReadLimits
  const limit = parseLimit(query.limit, { usual, max })
  const { resource } = view
  const where = parseWhere(withoutConditions(view), query.filter)
  const fingerprint = fingerprintOf({ resource, under: 'code', where, sort })
  const { after = null } = query
  if (after !== null && typeof after !== 'string') throw parameterError('cursor', 'Invalid cursor')
  return {
    kind: 'cursor',
    limit,
    fingerprint,
    after: after === null ? null : readCursor(after, fingerprint, { resource, sort }),
  }
}

type ParsedGroups = Pick<SummaryOperation, 'where' | 'groups' | 'measures' | 'order' | 'limit' | 'zone'>

export function parseGroups(view: FilterContext, query: ReadQuery): ParsedGroups {
  const { filter, by, sort, limit, zone } = query
  const named = [
    ['group', namesOf('by', by)] as const,
    ...measureKinds.map((kind) => [kind, namesOf(kind, query[kind])] as const),
    ['sort', namesOf('sort', sort)] as const,
    ['limit', limit === undefined ? undefined : String(limit)] as const,
    [zoneParameter, zone === undefined ? undefined : String(zone)] as const,
  ]
  const parameters = new Map(named.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])))
  return { ...parseSummary(view, parameters), where: parseWhere(view, filter) }
}
