/**
 * One comparison of a `where`: a field, an operator of the filter language, and a value. It gives
 * the records that satisfy it, and those that certainly do not. A null of the record, or a value
 * that the caller lacks, leaves both open.
 */
import type { CallerFacts } from '../../caller-facts.ts'
import { all, any, type ComparisonOperator, type Condition, isNull, never, not, type Scalar } from '../../condition.ts'
import type { Field, Operator } from '../../fields/field.ts'
import { valueMistake } from '../../fields/field-facts.ts'
import { itemFrom } from '../../fields/list.ts'
import type { RuleInput } from '../../rule.ts'
import { type CallerValue, claimPrefix, isRuleValue } from './rule-values.ts'

export type FieldComparison = { readonly field: string; readonly operator: Operator; readonly operand: unknown }
type ComparisonSides = { readonly holds: Condition; readonly fails: Condition }

const open: ComparisonSides = { holds: never, fails: never }
const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'lte',
  lte: 'gt',
  lt: 'gte',
  gte: 'lt',
}

/** The comparisons of one member of a `where`: `{ gt: 5, lt: 9 }` are two. */
export function comparisonsOf(field: string, condition: unknown): readonly FieldComparison[] {
  if (condition === null) return [{ field, operator: 'null', operand: true }]
  if (typeof condition !== 'object' || isRuleValue(condition)) return [{ field, operator: 'eq', operand: condition }]
  return Object.entries(condition)
    .filter(([, operand]) => operand !== undefined)
    .map(([operator, operand]) => ({ field, operator: operator as Operator, operand }))
}

/** The issuer chooses the type of a claim: one that the field cannot store is none. */
function claimFor(own: Field | undefined, claim: unknown): unknown {
  if (!own || own.type.item) return claim
  const fits = (one: unknown) =>
    own.type.column === 'text' ? typeof one === 'string' : valueMistake(own, one, '') === undefined
  return Array.isArray(claim) ? claim.filter(fits) : fits(claim) ? claim : undefined
}

/** A value of the caller; undefined where the caller has none. */
function callerValue({ name }: CallerValue, { own, asked: { principal } }: Compared): unknown {
  if (principal.kind === 'anonymous') return undefined
  if (name === 'id') return principal.userId
  const isClaim = name.startsWith(claimPrefix)
  const value = isClaim ? claimFor(own, principal.claims?.[name.slice(claimPrefix.length)]) : principal.user?.[name]
  return value ?? undefined
}

type Compared = { readonly own: Field | undefined; readonly asked: RuleInput }

/** The value of a literal, of the caller or of the clock; undefined where the caller has none. */
function known(operand: unknown, { own, asked }: Compared): unknown {
  if (!isRuleValue(operand)) return operand
  if (operand.source === 'now') return own?.type.inTime?.at?.(asked.now()) ?? asked.now()
  return operand.source === 'caller' ? callerValue(operand, { own, asked }) : undefined
}

/** Only where the field has a value is a part of it certainly absent. */
function definite(field: string, holds: Condition): ComparisonSides {
  return { holds, fails: all({ kind: 'null', field, isNull: false }, not(holds)) }
}

/** A list has its items as responses show them. A value that is no item matches nothing. */
function having(field: string, item: Field, value: unknown): Condition {
  if (item.type.isProse) return { kind: 'has', field, item: String(value) }
  try {
    return { kind: 'has', field, item: itemFrom(item, value, field) as Scalar }
  } catch {
    return never
  }
}

function oneOf(field: string, own: Field | undefined, values: readonly unknown[]): ComparisonSides {
  const given = values.filter((one) => one !== undefined && one !== null) as Scalar[]
  if (given.length === 0) return open
  if (!own?.type.item) return definite(field, { kind: 'in', field, values: given })
  return definite(field, any(...given.map((one) => having(field, own.type.item as Field, one))))
}

/** A choice has few words, so those with the part are found here. */
function withPart({ field, operator }: FieldComparison, own: Field | undefined, text: string): ComparisonSides {
  const values = own?.values
  if (!values) return definite(field, { kind: operator as 'contains' | 'startsWith', field, text })
  const part = text.toLowerCase()
  const fits = (word: string) => (operator === 'contains' ? word.includes(part) : word.startsWith(part))
  return definite(field, { kind: 'in', field, values: values.filter((word) => fits(word.toLowerCase())) })
}

function ordered(
  { field, operand }: FieldComparison,
  operator: ComparisonOperator,
  compared: Compared,
): ComparisonSides {
  const { own } = compared
  const both = (make: (operator: ComparisonOperator) => Condition) => ({
    holds: make(operator),
    fails: make(opposite[operator]),
  })
  if (isRuleValue(operand) && operand.source === 'field')
    return both((one) => ({ kind: 'compareFields', field, operator: one, other: operand.name }))
  if (isRuleValue(operand) && operand.source === 'previous')
    return both((one) => ({ kind: 'comparePrevious', field, operator: one, previous: operand.name }))
  const value = known(operand, compared)
  if (value === undefined || typeof value === 'object') return open
  if (own?.type.item) return oneOf(field, own, [value])
  return both((one) => ({ kind: 'compare', field, operator: one, value: value as Scalar }))
}

/** `own`: the field that is compared. */
export function sidesOf(comparison: FieldComparison, own: Field | undefined, asked: RuleInput): ComparisonSides {
  const { field, operator, operand } = comparison
  const compared = { own, asked }
  switch (operator) {
    case 'null': {
      const [isAbsent, isPresent] = [isNull(field), { kind: 'null', field, isNull: false } as const]
      return operand === true ? { holds: isAbsent, fails: isPresent } : { holds: isPresent, fails: isAbsent }
    }
    case 'empty': {
      const some: Condition = { kind: 'has', field, item: null }
      return operand === true ? { holds: not(some), fails: some } : { holds: some, fails: not(some) }
    }
    case 'in':
    case 'overlaps': {
      const listed = known(operand, compared)
      return oneOf(field, own, Array.isArray(listed) ? listed.map((one) => known(one, compared)) : [listed])
    }
    case 'contains':
    case 'startsWith': {
      const text = known(operand, compared)
      if (text === undefined) return open
      return own?.type.item ? oneOf(field, own, [text]) : withPart(comparison, own, String(text))
    }
    case 'within': // a declared reference does not have it
      return open
    default:
      return ordered(comparison, operator, compared)
  }
}

/** The facts of the caller, and of the request, that the comparison judges by. */
export function factsOfComparison({ operand }: FieldComparison): CallerFacts {
  return [operand].flat().flatMap((one): CallerFacts => {
    if (!isRuleValue(one)) return []
    if (one.source === 'now') return ['clock']
    if (one.source !== 'caller') return []
    if (one.name === 'id') return ['userId']
    return one.name.startsWith(claimPrefix) ? [`claim:${one.name.slice(claimPrefix.length)}`] : [`field:${one.name}`]
  })
}

/** The fields of the record that it compares. */
export function fieldsOfComparison({ field, operand }: FieldComparison): readonly string[] {
  return isRuleValue(operand) && operand.source === 'field' ? [field, operand.name] : [field]
}
