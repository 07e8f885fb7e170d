/** The filters of a list, as its address has them: `price[gte]=5`, `minPrice=5`, `filter={…}`. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { valueFrom } from '../fields/typed-value.ts'

export type Condition = {
  /** The parameter: `price[gte]`. */
  readonly key: string
  /** The field, or the named filter, or `filter`. */
  readonly name: string
  readonly operator: string
  readonly value: string
}

/** Parameters of a list that are no filters. */
const others: readonly string[] = ['sort', 'q', 'fields', 'expand', 'page', 'limit', 'cursor']

/** `price[gte]` → `['price', 'gte']` */
function partsOf(key: string): readonly [string, string] {
  const [, name = key, operator = 'eq'] = /^(.*?)\[(\w+)\]$/.exec(key) ?? []
  return [name, operator]
}

export function conditionsOf(query: ListQuery): readonly Condition[] {
  const given = Object.entries(query).filter(([key]) => !others.includes(key))
  return given.map(([key, value]) => {
    const [name, operator] = partsOf(key)
    return { key, name, operator, value }
  })
}

export function keyFor(name: string, operator: string): string {
  return operator === 'eq' ? name : `${name}[${operator}]`
}

export function withoutConditions(query: ListQuery): ListQuery {
  return Object.fromEntries(Object.entries(query).filter(([key]) => others.includes(key)))
}

type Resource = Pick<ResourceDescription, 'fields' | 'list'>
export type Meant = { readonly field: FieldDescription; readonly operator: string; readonly value: string }

/** Named filters are comparisons with a field: `minPrice=5` is `price[gte]=5`. */
export function meaningOf({ fields, list }: Resource, { name, operator, value }: Condition): Meant | undefined {
  const named = operator === 'eq' ? list?.filters.find((one) => one.name === name) : undefined
  const field = fields.find((one) => one.name === (named?.field ?? name))
  if (!field) return undefined
  if (!named) return { field, operator, value }
  return { field, operator: named.by === 'true' ? 'eq' : named.by, value }
}

/**
 * The parameters that may name fields which the caller does not have: filters and an order. A tree
 * of filters is one of them, since its names are not looked at.
 */
export function unknownIn({ fields, list }: Resource, query: ListQuery): readonly string[] {
  const known = (name: string) =>
    fields.some((one) => one.name === name) || list?.filters.some((one) => one.name === name) === true
  const filters = conditionsOf(query).filter(({ name }) => name === 'filter' || !known(name))
  const sort = query.sort?.split(',').every((one) => known(one.replace(/^-/, ''))) === false
  return [...filters.map(({ key }) => key), ...(sort ? ['sort'] : [])]
}

/** A filter that is JSON already, or undefined where it is none. */
export function treeIn(text: string): object | undefined {
  try {
    const tree: unknown = JSON.parse(text)
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree) ? tree : undefined
  } catch {
    return undefined
  }
}

function operandOf({ field, operator, value }: Meant): unknown {
  if (operator === 'null' || operator === 'empty') return value === 'true'
  if (operator === 'in' || operator === 'overlaps') return value.split(',').map((one) => valueFrom(field, one))
  return operator === 'contains' || operator === 'startsWith' ? value : valueFrom(field, value)
}

/** All conditions as one tree: the `filter` of JSON, GraphQL and the client. */
export function treeOf(resource: Resource, query: ListQuery): object | undefined {
  const trees = conditionsOf(query).flatMap((one) => {
    if (one.key === 'filter') return treeIn(one.value) ?? []
    const meant = meaningOf(resource, one)
    return meant ? { [meant.field.name]: { [meant.operator]: operandOf(meant) } } : []
  })
  return trees.length > 1 ? { and: trees } : trees[0]
}
