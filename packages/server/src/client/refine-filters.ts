/**
 * Converts Refine's filters to parameters of a list: conditions of one field in brackets, the rest
 * as the JSON of `filter`.
 */
import { isListable } from './address.ts'

type Operator = string
export type CrudFilter =
  | { readonly field: string; readonly operator: Operator; readonly value: unknown }
  | { readonly key?: string; readonly operator: 'or' | 'and'; readonly value: readonly CrudFilter[] }
type Tree = Readonly<Record<string, unknown>>

/** The server compares texts without case, so both of Refine's spellings mean the same. */
const operators: Readonly<Record<string, string>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  gt: 'gt',
  lte: 'lte',
  gte: 'gte',
  in: 'in',
  contains: 'contains',
  startswith: 'startsWith',
}
const opposites: Readonly<Record<string, string>> = {
  nin: 'in',
  ncontains: 'contains',
  nstartswith: 'startswith',
  nbetween: 'between',
}

/** Throws `TypeError` for an operator that the API does not have. */
function treeOf(filter: CrudFilter): Tree {
  const { operator, value } = filter
  if (!('field' in filter)) return { [operator]: (value as readonly CrudFilter[]).map(treeOf) }
  const { field } = filter
  const opposite = opposites[operator]
  if (opposite) return { not: treeOf({ field, operator: opposite, value }) }
  if (operator === 'null' || operator === 'nnull') return { [field]: { null: operator === 'null' } }
  // Nothing equals null, neither here nor in SQL.
  if (value === null && (operator === 'eq' || operator === 'ne')) return { [field]: { null: operator === 'eq' } }
  if (operator === 'between') {
    const [gte, lte] = value as readonly unknown[]
    return { [field]: { ...(isGiven(gte) && { gte }), ...(isGiven(lte) && { lte }) } }
  }
  const name = operators[operator]
  if (name === undefined) throw new TypeError(`${field}: there is no filter ${operator} here`)
  return { [field]: { [name]: value } }
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.every(isUnset))
}

/** Whether an end of a range was set. */
const isGiven = (end: unknown) => !isUnset(end) && end !== null

/**
 * The filter without the conditions of cleared inputs, one of which would match everything in an
 * `or`. Undefined where nothing is left.
 */
function given(filter: CrudFilter): CrudFilter | undefined {
  if ('field' in filter) return isUnset(filter.value) && !/^n?null$/.test(filter.operator) ? undefined : filter
  const value = filter.value.flatMap((one) => given(one) ?? [])
  return value.length === 0 ? undefined : { ...filter, value }
}

/** A tree of one field without `or` and `not`: `{ price: { gte: 5 } }` → `price[gte]`. */
function bracketsOf(tree: Tree): readonly (readonly [string, unknown])[] | undefined {
  const [[field, by] = ['', {}]] = Object.entries(tree)
  if (['or', 'and', 'not'].includes(field)) return undefined
  const pairs = Object.entries(by as Tree)
  if (pairs.some(([, value]) => Array.isArray(value) && !isListable(value))) return undefined
  return pairs.map(([operator, value]) => [operator === 'eq' ? field : `${field}[${operator}]`, value])
}

/**
 * `q` is the search. Conditions that would be the same parameter go into `filter`, so that none is
 * lost.
 */
export function parametersOf(filters: readonly CrudFilter[]): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  const trees: Tree[] = []
  for (const filter of filters.flatMap((one) => given(one) ?? [])) {
    if ('field' in filter && filter.field === 'q') {
      parameters.q = filter.value
      continue
    }
    const tree = treeOf(filter)
    const pairs = bracketsOf(tree)
    if (pairs?.every(([name]) => !Object.hasOwn(parameters, name))) Object.assign(parameters, Object.fromEntries(pairs))
    else trees.push(tree)
  }
  if (trees.length > 0) parameters.filter = trees.length === 1 ? trees[0] : { and: trees }
  return parameters
}
