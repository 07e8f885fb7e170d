/**
 * Parses filters as a tree: `{"or":[{"size":{"lt":10}},{"parent":{"kind":{"eq":"open"}}}]}`. REST
 * takes it as `filter=`, GraphQL as the argument `filter`. The operators are those of the other
 * filters; a value is JSON, so it may hold commas.
 */
import type { LinkRelation, Relation, Resource } from '../resource/catalog.ts'
import { all, always, any, type Condition, never, not, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError, treeOperator } from '../resource/fields/field.ts'
import { isTable } from '../resource/members.ts'
import { parseJson } from '../value/json.ts'
import {
  checkCount,
  checkOperator,
  compareBy,
  type FilteredField,
  type FilterOperand,
  parseBound,
  parsePart,
  parseScalar,
} from './filter.ts'
import { filteredBranch } from './filters/filter-branch.ts'
import { followedField } from './filters/follow-filter.ts'
import { compareMembers } from './filters/member-filter.ts'
import { filteredLinks, isQuantifier, quantify } from './links/filter-links.ts'
import { listLimits } from './list-limits.ts'
import { parameterError } from './parameters.ts'
import { isFilterable, shownWhere, type VisibleFields } from './visible-fields.ts'

/**
 * A caller's view of a resource: the records that exist for the caller, and their fields that the
 * caller may read.
 */
export type ResourceView = VisibleFields & { readonly where: Condition }
export type ViewOf = (resource: Resource) => ResourceView

export type FilterContext = VisibleFields & {
  readonly resource: Resource
  /** The time of the request. Without it no filter depends on it. */
  readonly now?: (() => string) | undefined
  /** Without it no filter reaches other records. */
  readonly viewOf?: ViewOf | undefined
  /**
   * Whether a member that is null counts as absent, as GraphQL's variables have it; otherwise it is
   * refused.
   */
  readonly skipsNull?: boolean
  /**
   * Whether a part that is empty, and so is found in every text, is refused: for writes to many
   * records.
   */
  readonly needsPart?: boolean
}

type FilterPath = FilterContext & {
  /** The prefix of names in errors: `product.`. */
  readonly path: string
  readonly depth: number
  readonly relations: number
  readonly spent: { parts: number }
}

function refuse(problem: string): Error {
  return parameterError('filter', problem)
}

/**
 * The value as text, which is what field types parse; JSON says what it was, and nothing is taken
 * for something else.
 */
function textOf({ parameter, field }: FilteredField, value: unknown): string {
  const { column, scalar, filterText } = (field.type.item ?? field).type
  if (value !== null && filterText) return filterText(value, parameter)
  const isNumber = column === 'integer' && scalar !== 'String'
  if (value === null) throw fieldError(parameter, 'must not be null')
  if (isNumber && typeof value !== 'number' && !(scalar === 'ID' && typeof value === 'string'))
    throw fieldError(parameter, 'must be a number')
  if (column === 'boolean' && typeof value !== 'boolean') throw fieldError(parameter, 'must be true or false')
  if (!isNumber && column !== 'boolean') return stringOf(parameter, value)
  return String(value)
}

function stringOf(parameter: string, value: unknown): string {
  if (value === null) throw fieldError(parameter, 'must not be null')
  if (typeof value !== 'string') throw fieldError(parameter, 'must be a string')
  return value
}

function jsonOperand(asked: FilteredField, value: unknown): FilterOperand {
  const { parameter } = asked
  const one = (item: unknown): Scalar => parseScalar(asked, textOf(asked, item))
  const items = (): readonly unknown[] => {
    if (value === null) throw fieldError(parameter, 'must not be null')
    if (!Array.isArray(value)) throw fieldError(parameter, 'must be a list of values')
    if (value.length === 0) throw fieldError(parameter, 'needs at least one value')
    checkCount(asked, value.length)
    return value
  }
  return {
    one: () => one(value),
    many: () => items().map(one),
    bounds: (isList) => (isList ? items() : [value]).map((item) => parseBound(asked, textOf(asked, item))),
    part: () => parsePart(asked, stringOf(parameter, value)),
    flag() {
      if (value === null) throw fieldError(parameter, 'must not be null')
      if (typeof value !== 'boolean') throw fieldError(parameter, 'must be true or false')
      return value
    },
  }
}

function countPart(spent: FilterPath['spent']): void {
  spent.parts += 1
  const { filterPartsMax } = listLimits
  if (spent.parts > filterPartsMax) throw refuse(`filter has more than ${filterPartsMax} parts`)
}

/** `{"gte":10,"lt":20}` */
function parseComparisons(place: FilterPath, name: string, value: unknown): Condition {
  const { resource, path, spent, needsPart, visibleWhere } = place
  const shown = `${path}${name}`
  if (!isTable(value)) throw refuse(`${shown} in filter must be an object with operators, such as {"eq":…}`)
  const field = resource.fields[name] as Field
  if (field.type.hasMembers && Object.hasOwn(value, 'path')) {
    for (const _ of Object.keys(value)) countPart(spent)
    return all(...compareMembers({ name, parameter: shown, shownBy: visibleWhere.get(name) }, value))
  }
  const links = filteredLinks(place, name)
  const branch = filteredBranch(place, name)
  const conditions = Object.entries(value).map(([operator, operand]) => {
    countPart(spent)
    if (operand === null && links && place.skipsNull) return always
    if (links && isQuantifier(operator)) return quantify(links, operator, parseLinked(place, name, operand))
    const parameter = `${shown}[${operator.slice(0, 20)}]`
    const followed = followedField(place, name)
    const asked: FilteredField = {
      name,
      parameter,
      field,
      needsPart,
      shownBy: visibleWhere.get(name),
      links,
      followed,
      branch,
    }
    checkOperator(asked, operator)
    if (operator === treeOperator && !branch)
      throw fieldError(parameter, 'reaches other records, as no filter here does')
    return compareBy(asked, operator, jsonOperand(asked, operand))
  })
  return all(...conditions)
}

/** The condition on the records that links name. */
function parseLinked(place: FilterPath, name: string, value: unknown): Condition {
  const { target } = place.resource.links[name] as LinkRelation
  const { visible, visibleWhere } = place.viewOf?.(target) as ResourceView
  const path = `${place.path}${name}.`
  return parseMembers(
    { ...place, resource: target, visible, visibleWhere, path, relations: follow(place) },
    value,
    name,
  )
}

/** One relation more. Throws `bad-request` for too many. */
function follow({ relations }: FilterPath): number {
  const { relationLevelsMax } = listLimits
  if (relations + 1 > relationLevelsMax) throw refuse(`filter follows at most ${relationLevelsMax} references`)
  return relations + 1
}

/** The relation to one record through which a filter may ask; undefined where there is none. */
function relationOf(place: FilterPath, name: string): Relation | undefined {
  const { resource, visible, viewOf } = place
  const link = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined
  if (!viewOf || !link) return undefined
  if (link.kind === 'one') return link
  if (link.kind !== 'reference') return undefined
  return visible.has(link.by) && isFilterable(place, link.by) ? link : undefined
}

/** Records for which the other one satisfies the condition. */
function relatedBy(place: FilterPath, { kind, by, resource }: Relation, where: Condition): Condition {
  if (kind === 'one') return { kind: 'related', field: place.resource.idField, resource: resource.name, at: by, where }
  return all(shownWhere(place, by), { kind: 'related', field: by, resource: resource.name, where })
}

/**
 * The record that the reference names, or the one that refers to this, exists for the caller and
 * satisfies the filter. A reference that a record does not show names none.
 */
function parseRelated(place: FilterPath, name: string, value: unknown): Condition | undefined {
  const link = relationOf(place, name)
  const seen = link && place.viewOf?.(link.resource)
  if (!link || !seen || (link.kind === 'one' && !seen.visible.has(link.by))) return undefined
  const relations = follow(place)
  const { visible, visibleWhere } = seen
  const below = { ...place, resource: link.resource, visible, visibleWhere, path: `${place.path}${name}.`, relations }
  const where = all(seen.where, parseMembers(below, value, name))
  if (where.kind === 'false') return never
  return relatedBy(place, link, where)
}

function parseJoined(place: FilterPath, word: 'and' | 'or', value: unknown): Condition {
  if (!Array.isArray(value) || value.length === 0)
    throw refuse(`${word} in filter must be a list of one filter or more`)
  const conditions = value.map((one) => parseMembers(place, one, word))
  return word === 'and' ? all(...conditions) : any(...conditions)
}

function parseMember(place: FilterPath, name: string, value: unknown): Condition {
  const { resource, visible, path } = place
  if (value === null && place.skipsNull) return always
  if (name === 'and' || name === 'or') return parseJoined(place, name, value)
  if (name === 'not') return not(parseMembers(place, value, name))
  if (visible.has(name) && isFilterable(place, name) && (!resource.links[name] || place.viewOf))
    return parseComparisons(place, name, value)
  if (visible.has(name)) followedField(place, name)
  const related = parseRelated(place, name, value)
  if (!related) throw refuse(`Unknown field ${`${path}${name}`.slice(0, 100)} in filter`)
  return related
}

/** `under`: what the object stands under, for the error. */
function parseMembers(above: FilterPath, value: unknown, under: string): Condition {
  const place = { ...above, depth: above.depth + 1 }
  countPart(place.spent)
  const { filterDepthMax } = listLimits
  if (place.depth > filterDepthMax) throw refuse(`filter is deeper than ${filterDepthMax} levels`)
  if (!isTable(value)) throw refuse(`${under === '' ? 'filter' : `${under} in filter`} must be a JSON object`)
  return all(...Object.entries(value).map(([name, one]) => parseMember(place, name, one)))
}

/**
 * Throws `bad-request` for a filter that is too large, and for a field that the caller may not
 * read. Throws it too for an operator or a value that the field does not have.
 */
export function parseTree(filtered: FilterContext, value: unknown): Condition {
  return parseMembers({ ...filtered, path: '', depth: 0, relations: 0, spent: { parts: 0 } }, value, '')
}

/** The text of `filter=`. Throws `bad-request`, also for text that is no strict JSON. */
export function parseFilterText(filtered: FilterContext, text: string): Condition {
  return parseTree(filtered, readFilter(text))
}

function readFilter(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw refuse(`filter: ${(cause as Error).message.replace(/^The body /, '')}`)
  }
}
