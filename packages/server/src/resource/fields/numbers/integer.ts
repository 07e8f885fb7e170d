/**
 * The integer field: whole numbers of 32 bits, so that REST takes the same ones as GraphQL's Int.
 */
import { flag, type Members, numberKind, takeOptions } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  orderOperators,
  type ValueOf,
} from '../field.ts'
import { type IncrementOption, incrementMembers } from './increment.ts'
import { parseDecimal } from './parse-decimal.ts'

const int32Min = -(2 ** 31)
const int32Max = 2 ** 31 - 1

type IntegerLimits = { readonly min?: number; readonly max?: number }

function checkInteger(value: unknown, name: string, field: FieldOf<IntegerLimits>): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw fieldError(name, 'must be an integer')
  const { min = int32Min, max = int32Max } = field.limits
  if (value < min || value > max) {
    throw fieldError(
      name,
      max === int32Max && value < min ? `must be at least ${min}` : `must be from ${min} to ${max}`,
    )
  }
  return value === 0 ? 0 : value
}

export const integerType: FieldType<IntegerLimits> = {
  name: 'integer',
  column: 'integer',
  operators: orderOperators,
  scalar: 'Int',
  adds: { average: (sum, values) => Number(sum) / values, scalar: 'Float', sumMax: BigInt(Number.MAX_SAFE_INTEGER) },
  check: checkInteger,
  checkStored: checkInteger,
  isComparable: Number.isSafeInteger,
  parse(text, name) {
    const value = parseDecimal(text, 0)
    if (value === undefined || !Number.isInteger(value)) throw fieldError(name, 'must be an integer')
    return value
  },
  parseCell: (cell, name, field) => integerType.parse(cell.trim(), name, field),
  schema: (field) => ({
    type: 'integer',
    format: 'int32',
    minimum: field.limits.min ?? int32Min,
    maximum: field.limits.max ?? int32Max,
  }),
  limitsMistake({ min = int32Min, max = int32Max }) {
    const limits = Object.entries({ min, max })
    const wrong = limits.find(([, limit]) => !Number.isInteger(limit) || limit < int32Min || limit > int32Max)
    if (wrong) return `${wrong[0]} must be a whole number of 32 bits, and is ${wrong[1]}`
    return min > max ? `min (${min}) is above max (${max})` : undefined
  },
}

type IntegerOptions<
  R extends boolean = boolean,
  D = DefaultOf<number> | undefined,
  L extends string = string,
  Q extends string = string,
> = IncrementOption &
  CommonOptions<R, D, number, never, L, Q> & {
    /** The least that is allowed; −2³¹ unless said. */
    min?: number
    /** The most that is allowed; 2³¹ − 1 unless said. */
    max?: number
    /** `0`, `""`, `false` and `null` mean the default on any write. */
    falsyIsDefault?: boolean
  }
const members = {
  ...commonMembers,
  ...incrementMembers,
  min: numberKind,
  max: numberKind,
  falsyIsDefault: flag,
} satisfies Members<IntegerOptions>

/** A whole number of 32 bits: `integer({ required: true, min: 1, max: 5 })`. */
export function integer<
  const R extends boolean = false,
  const D extends DefaultOf<number> | undefined = DefaultOf<number> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: IntegerOptions<R, D, L, Q>,
): Field<ValueOf<number, R, D>, string, { kind: 'number'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { min, max, ...common } = known
  return makeField(integerType, { ...common, limits: { min, max }, mistakes })
}
