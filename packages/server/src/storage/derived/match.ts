/**
 * Evaluates conditions in plain JavaScript: whether a stored row matches, exactly as the databases
 * decide it. A test compares the two on random conditions and rows. A row alone does not show its
 * related records, so a condition on those stays undecided.
 */

import { foldName } from '../../base/fold.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { isTable } from '../../resource/members.ts'
import { foldOf, isFolded } from '../model/model.ts'
import { isCaseless } from '../sql/compile-condition.ts'
import { searchTextOf } from '../sql/row.ts'
import type { Values } from '../stored-row.ts'
import { compareValues } from './sort-order.ts'

/** Undefined: the row alone does not tell. */
export type RowMatch = (row: Values) => boolean | undefined

export type Matcher = {
  /** Compiles a condition once, for many rows. A row must not change once it was matched. */
  compile(resource: Resource, condition: Condition): RowMatch
}

type ComparedTexts = {
  /** A text of the row folded for comparison without case; null where there is none. */
  folded(row: Values, resource: Resource, field: string): string | null
  searched(row: Values, resource: Resource): string
}

/**
 * Folding costs more than comparing, and many conditions use the same texts of one row. So each row
 * folds each text once.
 */
function makeTexts(): ComparedTexts {
  const known = new WeakMap<Values, Map<string, string | null>>()
  function textsOf(row: Values): Map<string, string | null> {
    const found = known.get(row)
    if (found) return found
    const made = new Map<string, string | null>()
    known.set(row, made)
    return made
  }
  function once(row: Values, name: string, make: () => string | null): string | null {
    const texts = textsOf(row)
    const found = texts.get(name)
    if (found !== undefined) return found
    const made = make()
    texts.set(name, made)
    return made
  }
  return {
    folded: (row, resource, field) =>
      once(row, field, () => (typeof row[field] === 'string' ? foldOf(resource, field)(row[field] as string) : null)),
    // No field has an empty name.
    searched: (row, resource) => once(row, '', () => searchTextOf(resource, row)) as string,
  }
}

type CompareCondition = Condition & { readonly kind: 'compare' }
type CompareFieldsCondition = Condition & { readonly kind: 'compareFields' }
type InCondition = Condition & { readonly kind: 'in' }
type TextPartCondition = Condition & { readonly kind: 'contains' | 'startsWith' }

const orders = {
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
}

function matchCompared(
  resource: Resource,
  { field, operator, value }: CompareCondition,
  { folded }: ComparedTexts,
): RowMatch {
  if (operator === 'eq' || operator === 'ne') {
    const caseless = isCaseless(resource, field)
    const wanted = caseless ? foldName(value as string) : value
    const isEqual = operator === 'eq'
    return (row) => {
      const own = caseless ? folded(row, resource, field) : (row[field] ?? null)
      return own !== null && (own === wanted) === isEqual
    }
  }
  const isRight = orders[operator]
  return (row) => {
    const own = row[field] ?? null
    return own !== null && isRight(compareValues(own, value))
  }
}

const isEqual = { eq: (order: number) => order === 0, ne: (order: number) => order !== 0 }

function matchFields({ field, operator, other }: CompareFieldsCondition): RowMatch {
  const isRight = operator === 'eq' || operator === 'ne' ? isEqual[operator] : orders[operator]
  return (row) => {
    const [own, compared] = [row[field] ?? null, row[other] ?? null]
    return own !== null && compared !== null && isRight(compareValues(own, compared))
  }
}

function matchListed(resource: Resource, { field, values }: InCondition, { folded }: ComparedTexts): RowMatch {
  if (!isCaseless(resource, field)) {
    const wanted = new Set<unknown>(values)
    return (row) => wanted.has(row[field])
  }
  const wanted = new Set<unknown>(values.map((value) => foldName(value as string)))
  return (row) => wanted.has(folded(row, resource, field))
}

function matchPart(resource: Resource, { kind, field, text }: TextPartCondition, { folded }: ComparedTexts): RowMatch {
  const caseless = isFolded(resource, field)
  const part = caseless ? foldOf(resource, field)(text) : text
  return (row) => {
    const own = caseless ? folded(row, resource, field) : (row[field] ?? null)
    if (typeof own !== 'string') return false
    return kind === 'contains' ? own.includes(part) : own.startsWith(part)
  }
}

/** The member of a JSON value; undefined where the path leads to none. */
function memberAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value ?? undefined
  for (const name of path) at = isTable(at) && Object.hasOwn(at, name) ? at[name] : undefined
  return at
}

function matchMember({ field, path, operator, value }: Condition & { readonly kind: 'member' }): RowMatch {
  if (operator === 'has') return (row) => memberAt(row[field], path) !== undefined
  if (operator === 'eq') return (row) => memberAt(row[field], path) === value
  const isRight = orders[operator]
  return (row) => {
    const own = memberAt(row[field], path)
    return typeof own === typeof value && isRight(compareValues(own, value))
  }
}

/** `decisive`: the result of one part that decides the whole, true for an `or`. */
function matchJoined(parts: readonly RowMatch[], decisive: boolean): RowMatch {
  return (row) => {
    let result: boolean | undefined = !decisive
    for (const part of parts) {
      const one = part(row)
      if (one === decisive) return decisive
      if (one === undefined) result = undefined
    }
    return result
  }
}

function compileMatch(resource: Resource, condition: Condition, texts: ComparedTexts): RowMatch {
  switch (condition.kind) {
    case 'true':
      return () => true
    case 'false':
      return () => false
    case 'and':
    case 'or':
      return matchJoined(
        condition.of.map((one) => compileMatch(resource, one, texts)),
        condition.kind === 'or',
      )
    case 'not': {
      const match = compileMatch(resource, condition.of, texts)
      return (row) => {
        const found = match(row)
        return found === undefined ? undefined : !found
      }
    }
    case 'compare':
      return matchCompared(resource, condition, texts)
    case 'compareFields':
      return matchFields(condition)
    case 'comparePrevious':
      return () => undefined
    case 'in':
      return matchListed(resource, condition, texts)
    case 'null':
      return (row) => ((row[condition.field] ?? null) === null) === condition.isNull
    case 'has': {
      const { field, item } = condition
      return ({ [field]: own }) => Array.isArray(own) && (item === null ? own.length > 0 : own.includes(item))
    }
    case 'contains':
    case 'startsWith':
      return matchPart(resource, condition, texts)
    case 'member':
      return matchMember(condition)
    case 'search':
      return (row) => {
        const text = texts.searched(row, resource)
        return condition.words.every((word) => text.includes(word))
      }
    case 'related':
    case 'within':
      return (row) => ((row[condition.field] ?? null) === null ? false : undefined)
  }
}

export function makeMatcher(): Matcher {
  const texts = makeTexts()
  return { compile: (resource, condition) => compileMatch(resource, condition, texts) }
}

/** The fields of a row that a condition reads. A change to any other changes nothing. */
export function fieldsOf(resource: Resource, condition: Condition): ReadonlySet<string> {
  const names = new Set<string>()
  function add(one: Condition): void {
    switch (one.kind) {
      case 'true':
      case 'false':
        return
      case 'and':
      case 'or':
        one.of.forEach(add)
        return
      case 'not':
        add(one.of)
        return
      case 'search':
        for (const name of resource.list.search) names.add(name)
        return
      case 'compareFields':
        names.add(one.field).add(one.other)
        return
      case 'compare':
      case 'comparePrevious':
      case 'in':
      case 'null':
      case 'has':
      case 'contains':
      case 'startsWith':
      case 'member':
      case 'related':
      case 'within':
        names.add(one.field)
    }
  }
  add(condition)
  return names
}

/**
 * A condition on the records that a resource's records refer to. `at`: the field by which they
 * refer to this one; undefined for records that a reference names.
 */
export type RelatedCondition = {
  readonly resource: string
  readonly at: string | undefined
  readonly where: Condition
}

/** The conditions on other records that a condition contains, at any depth. */
export function relatedIn(condition: Condition): readonly RelatedCondition[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.of.flatMap(relatedIn)
  if (condition.kind === 'not') return relatedIn(condition.of)
  // A record that comes, goes or moves in the tree changes the branch.
  if (condition.kind === 'within')
    return [{ resource: condition.tree, at: condition.by, where: condition.where }, ...relatedIn(condition.where)]
  if (condition.kind !== 'related') return []
  const { resource, at, where } = condition
  return [{ resource, at, where }, ...relatedIn(where)]
}
