/**
 * Decides from the shape of a read alone whether it may take long. A list is cheap when an index
 * has its rows together and in order, so that the read stops at its limit. The size of the table
 * comes from each database.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { columnOf, foldColumnOf, modelOf } from '../model/model.ts'
import type { ListRequest } from '../storage.ts'
import { isCaseless } from './compile-condition.ts'

/** Any caller may read, sort or skip this many rows at any time. */
export const cheapRowsMax = 1_000

export type CostlyQuery = {
  /** A cheaper request that the caller can make instead. */
  readonly advice: string
  /** Whether all matching rows are sorted before the first one is known. */
  readonly sorts: boolean
}

export type Costs = {
  /** Undefined where few rows are read. The caller judges `limit` itself. */
  ofList(resource: Resource, request: Omit<ListRequest, 'after' | 'limit'>): CostlyQuery | undefined
  ofCount(resource: Resource, where: Condition): CostlyQuery | undefined
  /** Whether an index finds the rows with these ids, or those that refer to them. */
  isTied(resource: Resource, where: Condition): boolean
}

const deep: CostlyQuery = { advice: 'ask for an earlier page, or narrow the list by a filter', sorts: false }
const sorted: CostlyQuery = { advice: 'sort by one field, or narrow the list by a filter', sorts: true }
const unserved: CostlyQuery = { advice: 'narrow the list by another filter', sorts: false }

type CompareCondition = Condition & { readonly kind: 'compare' }

function termsOf(where: Condition): readonly Condition[] {
  return where.kind === 'and' ? where.of : where.kind === 'true' ? [] : [where]
}

function pinnedColumn(resource: Resource, term: Condition): string | undefined {
  if (term.kind === 'null') return term.isNull ? columnOf(term.field) : undefined
  if (term.kind !== 'compare' || term.operator !== 'eq') return undefined
  return isCaseless(resource, term.field) ? foldColumnOf(term.field) : columnOf(term.field)
}

/** Whether the index has the fixed columns first, in any order, and then those of the sort. */
function serves(index: readonly string[], pinned: ReadonlySet<string>, sort: readonly string[]): boolean {
  const head = new Set(index.slice(0, pinned.size))
  if (!pinned.isSubsetOf(head)) return false
  return sort.every((column, i) => index[pinned.size + i] === column)
}

export function makeCosts(catalog: Catalog): Costs {
  const tables = new Map(modelOf(catalog).tables.map((table) => [table.name, table]))
  const indexes = new Map(
    [...catalog.resources.values()].map((resource) => [
      resource.name,
      [[columnOf(resource.idField)], ...(tables.get(resource.table)?.indexes ?? []).map(({ columns }) => columns)],
    ]),
  )
  const indexesOf = (resource: Resource) => indexes.get(resource.name) ?? []

  /** The id, or a complete unique key. */
  function selectsOne(resource: Resource, pinned: ReadonlySet<string>): boolean {
    if (pinned.has(columnOf(resource.idField))) return true
    const unique = tables.get(resource.table)?.indexes.filter((index) => index.unique) ?? []
    return unique.some(({ columns }) => columns.every((column) => pinned.has(column)))
  }
  function selectsFew(resource: Resource, terms: readonly Condition[]): boolean {
    return terms.some(
      (term) => term.kind === 'in' && term.field === resource.idField && term.values.length <= cheapRowsMax,
    )
  }

  return {
    ofList(resource, { where, sort, offset = 0 }) {
      const terms = termsOf(where)
      if (terms.some((term) => term.kind === 'false') || selectsFew(resource, terms)) return undefined
      const pinned = new Set(terms.flatMap((term) => pinnedColumn(resource, term) ?? []))
      if (selectsOne(resource, pinned)) return undefined
      const keys = sort.filter(({ field }) => !pinned.has(columnOf(field)))
      const leads = (term: Condition): term is CompareCondition =>
        term.kind === 'compare' && term.operator !== 'ne' && term.field === keys[0]?.field
      const rest = terms.filter((term) => pinnedColumn(resource, term) === undefined && !leads(term))
      const columns = keys.map(({ field }) => columnOf(field))
      const oneWay = keys.every(({ descending }) => descending === keys[0]?.descending)
      const isSortedBehind = (columnsBefore: ReadonlySet<string>) =>
        oneWay && indexesOf(resource).some((index) => serves(index, columnsBefore, columns))
      if (!isSortedBehind(pinned)) return isSortedBehind(new Set()) ? unserved : sorted
      if (rest.length > 0) return unserved
      return offset > cheapRowsMax ? deep : undefined
    },
    ofCount(resource, where) {
      const terms = termsOf(where)
      if (terms.some((term) => term.kind === 'false') || selectsFew(resource, terms)) return undefined
      const pinned = new Set(terms.flatMap((term) => pinnedColumn(resource, term) ?? []))
      return selectsOne(resource, pinned) ? undefined : unserved
    },
    isTied(resource, where) {
      return termsOf(where).some((term) => {
        const column = term.kind === 'in' ? columnOf(term.field) : pinnedColumn(resource, term)
        return column !== undefined && indexesOf(resource).some((index) => index[0] === column)
      })
    },
  }
}

/** The resources that a condition reads besides its own. */
export function relatedTo(catalog: Catalog, condition: Condition): Resource[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.of.flatMap((one) => relatedTo(catalog, one))
  if (condition.kind === 'not') return relatedTo(catalog, condition.of)
  if (condition.kind !== 'related' && condition.kind !== 'within') return []
  const target = catalog.get(condition.kind === 'within' ? condition.tree : condition.resource)
  return [target, ...relatedTo(catalog, condition.where)]
}
