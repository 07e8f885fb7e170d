/**
 * Filters on a derived field that follows a stored one: `age[gte]=18` → a condition on `birthDate`,
 * at the time of the request. No record is computed for it.
 */
import {
  all,
  any,
  type ComparisonOperator,
  type Condition,
  isNull,
  never,
  type Scalar,
} from '../../resource/condition.ts'
import { type Field, fieldError, type Operator } from '../../resource/fields/field.ts'
import { followsOf } from '../../resource/fields/following/followers.ts'
import type { Follows } from '../../resource/fields/following/follows.ts'
import type { Resource } from '../../resource/resolved-resource.ts'
import { isShownByAll, type VisibleFields } from '../visible-fields.ts'

/** The field that another one follows, and the time of the request. */
export type FollowedField = Follows & { readonly source: Field; readonly now: () => string }

type FollowContext = VisibleFields & { readonly resource: Resource; readonly now?: (() => string) | undefined }

/**
 * Undefined for any other field. Throws `bad-request` where no condition says the filter, or where
 * the caller may not read the stored field on all records.
 */
export function followedField(context: FollowContext, name: string): FollowedField | undefined {
  const { resource, now } = context
  const follows = followsOf(resource.fields[name])
  if (!follows) return undefined
  if (follows.bounds && now && isShownByAll(context, follows.field))
    return { ...follows, source: resource.fields[follows.field] as Field, now }
  throw fieldError(name, `is computed at each read, and no filter; filter by ${follows.field}`)
}

/** `parameter`: what the filter is called in errors. */
type Compared = { readonly followed: FollowedField; readonly parameter: string }

type FollowOperand = { one(): Scalar; many(): readonly Scalar[]; flag(): boolean }

/** The records whose value is this one or more, or less than it. */
function side({ followed, parameter }: Compared, value: Scalar, isLess: boolean): Condition {
  const { field, direction, bounds, source, now } = followed
  let bound: Scalar | null
  try {
    bound = bounds?.(value as never, { now: now() }) ?? null
    if (bound !== null) source.type.checkStored(bound, field, source)
  } catch {
    throw fieldError(parameter, `is beyond the values of ${field}`)
  }
  if (bound === null) return isLess ? { kind: 'null', field, isNull: false } : never
  const operators: Record<string, ComparisonOperator> = { asc: isLess ? 'lt' : 'gte', desc: isLess ? 'gt' : 'lte' }
  return { kind: 'compare', field, operator: operators[direction] as ComparisonOperator, value: bound }
}

/** The next value; undefined for the last one. */
function nextOf(value: Scalar): Scalar | undefined {
  if (typeof value === 'boolean') return value ? undefined : true
  return Number(value) + 1
}

const atLeast = (compared: Compared, value: Scalar) => side(compared, value, false)

function above(compared: Compared, value: Scalar): Condition {
  const next = nextOf(value)
  return next === undefined ? never : atLeast(compared, next)
}

function upTo(compared: Compared, value: Scalar): Condition {
  const next = nextOf(value)
  const { field } = compared.followed
  return next === undefined ? { kind: 'null', field, isNull: false } : side(compared, next, true)
}

const same = (compared: Compared, value: Scalar) => all(atLeast(compared, value), upTo(compared, value))

export function compareFollowed(compared: Compared, operator: Operator, operand: FollowOperand): Condition {
  const { field } = compared.followed
  switch (operator) {
    case 'null':
      return { kind: 'null', field, isNull: operand.flag() }
    case 'eq':
      return same(compared, operand.one())
    case 'ne': {
      const value = operand.one()
      return any(side(compared, value, true), above(compared, value), isNull(field))
    }
    case 'in':
      return any(...operand.many().map((value) => same(compared, value)))
    case 'gte':
      return atLeast(compared, operand.one())
    case 'gt':
      return above(compared, operand.one())
    case 'lt':
      return side(compared, operand.one(), true)
    case 'lte':
      return upTo(compared, operand.one())
    case 'contains':
    case 'startsWith':
    case 'overlaps':
    case 'empty':
    case 'within':
      throw new Error(`${operator} is no filter of numbers`)
  }
}
