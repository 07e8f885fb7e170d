/**
 * Parses filters in the query string: `category=Tools`, `price[gte]=10`, and the parameters that a
 * resource declares. A filter on a field that the caller may not read is an unknown parameter.
 */

import { foldCase } from '../base/fold.ts'
import { all, any, type Condition, equal, isNull, not, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError, type Operator, treeOperator } from '../resource/fields/field.ts'
import { compareWhole, type WholeOperator } from '../resource/fields/numbers/compare-whole.ts'
import type { WholeBound } from '../resource/fields/numbers/number-facts.ts'
import type { NamedFilter } from '../resource/list-declaration.ts'
import { listOf } from '../resource/words/names.ts'
import type { FilterContext } from './filter-tree.ts'
import { compareBranch, type FilteredBranch, filteredBranch } from './filters/filter-branch.ts'
import { compareFollowed, type FollowedField, followedField } from './filters/follow-filter.ts'
import { compareLinks, type FilteredLinks, filteredLinks } from './links/filter-links.ts'
import { listLimits } from './list-limits.ts'

const parameterPattern = /^([^[\]]+)(?:\[([A-Za-z]+)\])?$/

/** A choice has few words, so the ones that contain the part are found here. */
function compareWords(
  name: string,
  words: readonly string[],
  { operator, part }: { readonly operator: 'contains' | 'startsWith'; readonly part: string },
): Condition {
  const folded = foldCase(part)
  const matches = (word: string) => (operator === 'contains' ? word.includes(folded) : word.startsWith(folded))
  return { kind: 'in', field: name, values: words.filter((word) => matches(foldCase(word))) }
}

/** A list equals a value when it has the value as an item. A null has no items. */
function compareList(name: string, operator: Operator, operand: FilterOperand): Condition {
  const having = (item: Scalar | null): Condition => ({ kind: 'has', field: name, item })
  if (operator === 'null') return { kind: 'null', field: name, isNull: operand.flag() }
  if (operator === 'empty') return operand.flag() ? not(having(null)) : having(null)
  const items = operator === 'in' || operator === 'overlaps' ? operand.many() : [operand.one()]
  return any(...items.map(having))
}

/** A field that a filter asks about, and what it is called in errors: `price[gte]`. */
export type FilteredField = {
  readonly name: string
  readonly parameter: string
  readonly field: Field
  /** Whether an empty part of a text is refused. */
  readonly needsPart?: boolean | undefined
  /** The records that show the field to the caller; undefined where all do. */
  readonly shownBy: Condition | undefined
  /** Set for a field of links. */
  readonly links?: FilteredLinks | undefined
  /** Set for a derived field that follows a stored one. */
  readonly followed?: FollowedField | undefined
  /** Set for a reference to records of a tree. */
  readonly branch?: FilteredBranch | undefined
}

/**
 * The value that a field is compared with, in any notation. Each method throws `bad-request` for a
 * value of another kind.
 */
export type FilterOperand = {
  one(): Scalar
  /** The values of `in`. */
  many(): readonly Scalar[]
  /** The value, or those of `in`, of a type that compares by bounds. */
  bounds(isList: boolean): readonly WholeBound[]
  /** The part of a text. */
  part(): string
  flag(): boolean
}

/** Throws `bad-request` for more values than `in` takes. */
export function checkCount({ parameter }: FilteredField, count: number): void {
  const { inValuesMax } = listLimits
  if (count > inValuesMax) throw fieldError(parameter, `takes at most ${inValuesMax} values`)
}

export function parseScalar({ parameter, field }: FilteredField, text: string): Scalar {
  return field.type.parse(text, parameter, field) as Scalar
}

export function parseBound({ parameter, field }: FilteredField, text: string): WholeBound {
  if (!field.type.parseBound) throw new Error(`${field.type.name} does not compare by bounds`)
  return field.type.parseBound(text, parameter, field)
}

/**
 * Every text has the empty part, so a filter by it finds all. Throws `bad-request` for a write to
 * many.
 */
function checkPart({ parameter, needsPart }: FilteredField): void {
  if (needsPart) throw fieldError(parameter, 'must not be empty in a write to many records; leave it out')
}

export function parsePart(asked: FilteredField, text: string): string {
  const { parameter, field } = asked
  if (text === '') checkPart(asked)
  return field.type.parsePart?.(text, parameter, field) ?? (parseScalar(asked, text) as string)
}

/**
 * One of several values: as it is written. Blanks around what is no text mean nothing, as in
 * `1, 2`.
 */
function parseListed(asked: FilteredField, text: string): Scalar {
  const bare = text.trim()
  if (bare === text) return parseScalar(asked, text)
  try {
    return parseScalar(asked, text)
  } catch {
    return parseScalar(asked, bare)
  }
}

function textOperand(asked: FilteredField, text: string): FilterOperand {
  return {
    one: () => parseScalar(asked, text),
    many() {
      const values = text.split(',')
      checkCount(asked, values.length)
      return values.map((value) => parseListed(asked, value))
    },
    bounds(isList) {
      if (!isList) return [parseBound(asked, text)]
      const values = text.split(',')
      checkCount(asked, values.length)
      return values.map((value) => parseBound(asked, value.trim()))
    },
    part: () => parsePart(asked, text),
    flag() {
      if (text !== 'true' && text !== 'false') throw fieldError(asked.parameter, 'must be true or false')
      return text === 'true'
    },
  }
}

/**
 * `stock` with null counts as different from 5, so that `eq` and `ne` together find every record.
 */
function compareStored({ name, field, branch }: FilteredField, operator: Operator, operand: FilterOperand): Condition {
  if (field.type.parseBound && operator !== 'null')
    return compareWhole({ name, field }, operator as WholeOperator, operand.bounds(operator === 'in'))
  if (field.type.item) return compareList(name, operator, operand)
  switch (operator) {
    case 'null':
      return { kind: 'null', field: name, isNull: operand.flag() }
    case 'overlaps':
    case 'empty':
      throw new Error(`${operator} is for lists`)
    case 'within':
      if (!branch) throw new Error(`${name} names no record of a tree`)
      return compareBranch(name, branch, operand.one())
    case 'in':
      return { kind: 'in', field: name, values: operand.many() }
    case 'contains':
    case 'startsWith': {
      const part = operand.part()
      if (field.values) return compareWords(name, field.values, { operator, part })
      return { kind: operator, field: name, text: part }
    }
    case 'eq':
      return equal(name, operand.one())
    case 'ne': {
      const compare: Condition = { kind: 'compare', field: name, operator, value: operand.one() }
      return field.nullable ? { kind: 'or', of: [compare, isNull(name)] } : compare
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { kind: 'compare', field: name, operator, value: operand.one() }
  }
}

/**
 * The one place where a filter becomes a condition. A record that does not show the field to the
 * caller counts as one without a value. So no answer depends on a value that the caller may not
 * read.
 */
export function compareBy(asked: FilteredField, operator: Operator, operand: FilterOperand): Condition {
  if (asked.links) return compareLinks(asked.links, operator, operand)
  const { followed } = asked
  const where = followed
    ? compareFollowed({ followed, parameter: asked.parameter }, operator, operand)
    : compareStored(asked, operator, operand)
  const { shownBy } = asked
  if (!shownBy) return where
  const findsNull = operator === 'ne' || (where.kind === 'null' && where.isNull)
  return findsNull ? any(not(shownBy), where) : all(shownBy, where)
}

/** Throws `bad-request` for an operator that the field does not have. */
export function checkOperator(
  { name, parameter, field }: FilteredField,
  operator: string,
): asserts operator is Operator {
  if ((field.type.operators as readonly string[]).includes(operator)) return
  const advice = field.type.hasMembers ? `; filter={"${name}":{"path":…,"eq":…}} compares a member` : ''
  throw fieldError(parameter.slice(0, 100), `is no filter; ${name} takes ${listOf(field.type.operators)}${advice}`)
}

function parseNamed(asked: FilteredField, { by }: NamedFilter, text: string): Condition | undefined {
  if (by === 'true') return compareBy(asked, 'eq', textOperand(asked, text === 'true' ? text : 'false'))
  if (text === '' && (by === 'eq' || by === 'contains')) {
    checkPart(asked)
    return undefined
  }
  return compareBy(asked, by, textOperand(asked, text))
}

/**
 * One parameter → a condition; `always` for a named filter that does not apply; `undefined` when
 * the resource has no such filter. Throws `bad-request` for an operator or a value that the field
 * does not have.
 */
export function parseFilter(
  context: Omit<FilterContext, 'skipsNull'>,
  parameter: string,
  text: string,
): Condition | undefined {
  const { resource, visible, visibleWhere, needsPart, viewOf } = context
  const named = Object.hasOwn(resource.list.filters, parameter) ? resource.list.filters[parameter] : undefined
  if (named) {
    if (!visible.has(named.field)) return undefined
    const field = resource.fields[named.field] as Field
    const shownBy = visibleWhere.get(named.field)
    return parseNamed({ name: named.field, parameter, field, needsPart, shownBy }, named, text) ?? all()
  }
  const match = parameterPattern.exec(parameter)
  const name = match?.[1] ?? ''
  const operator: string = match?.[2] ?? 'eq'
  if (!visible.has(name)) return undefined
  const followed = followedField(context, name)
  if (!resource.list.filterable.has(name)) return undefined
  const links = filteredLinks({ resource, viewOf }, name)
  if (resource.links[name] && !links) return undefined
  const shownBy = visibleWhere.get(name)
  const field = resource.fields[name] as Field
  const branch = filteredBranch({ resource, viewOf }, name)
  const asked: FilteredField = { name, parameter, field, needsPart, shownBy, links, followed, branch }
  checkOperator(asked, operator)
  if (operator === treeOperator && !branch) return undefined
  return compareBy(asked, operator, textOperand(asked, text))
}
