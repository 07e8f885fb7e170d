/**
 * The float field: binary fractions of 64 bits, for measured values. They have no sum and no
 * average: those would depend on the order in which a database adds. `decimal` is exact.
 */
import { type Members, numberKind, takeOptions } from '../../members.ts'
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

type FloatLimits = { readonly min?: number; readonly max?: number }

/** `-0` is stored as 0: databases print the two differently. */
function checkFloat(value: unknown, name: string, { limits }: FieldOf<FloatLimits>): number {
  if (typeof value !== 'number') throw fieldError(name, 'must be a number')
  if (!Number.isFinite(value)) throw fieldError(name, 'must be a finite number')
  const { min = -Infinity, max = Infinity } = limits
  if (value < min) throw fieldError(name, `must be at least ${min}`)
  if (value > max) throw fieldError(name, `must be at most ${max}`)
  return value === 0 ? 0 : value
}

const written = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** A decimal number → the double that is closest to it. */
function parseFloatText(text: string, name: string): number {
  if (!written.test(text)) throw fieldError(name, 'must be a number')
  const value = Number(text)
  if (!Number.isFinite(value)) throw fieldError(name, 'must be a finite number')
  return value === 0 ? 0 : value
}

export const floatType: FieldType<FloatLimits> = {
  name: 'float',
  column: 'float',
  operators: orderOperators,
  scalar: 'Float',
  hasEnds: true,
  sample: 1.5,
  converts: (kind) => (kind === 'integer' ? (value) => value : undefined),
  check: checkFloat,
  checkStored: checkFloat,
  isComparable: Number.isFinite,
  parse: parseFloatText,
  filterText(value, name) {
    if (typeof value === 'number') return String(value)
    throw fieldError(name, 'must be a number')
  },
  parseCell: (cell, name, field) => checkFloat(parseFloatText(cell.trim(), name), name, field),
  schema: ({ limits: { min, max } }) => ({
    type: 'number',
    format: 'double',
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }),
  limitsMistake: ({ min = -Infinity, max = Infinity }) =>
    min > max ? `min (${min}) is above max (${max})` : undefined,
}

/**
 * Constants stand in the text of a table. SQLite reads some of more digits there as their
 * neighbours.
 */
function isLong(value: unknown): boolean {
  if (typeof value !== 'number' || value === 0) return false
  const size = Math.abs(value)
  return Number(value.toPrecision(15)) !== value || size < 1e-15 || size > 1e22
}
const longMistake = {
  problem: 'has more than 15 digits, or is not from 1e-15 to 1e22: write a function that returns it',
  isFormRight: true,
}

type FloatOptions<
  R extends boolean = boolean,
  D = DefaultOf<number> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, number, never, L, Q> & {
  /** The least that is allowed. */
  min?: number
  /** The most that is allowed. */
  max?: number
}
const members = { ...commonMembers, min: numberKind, max: numberKind } satisfies Members<FloatOptions>

/**
 * A measured number of 64 bits: `float({ min: 0 })`. It is sorted and compared, and has no sum or
 * average: `decimal` and `integer` have exact ones.
 */
export function float<
  const R extends boolean = false,
  const D extends DefaultOf<number> | undefined = DefaultOf<number> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: FloatOptions<R, D, L, Q>,
): Field<ValueOf<number, R, D>, string, { kind: 'number'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes: found } = takeOptions(options, members)
  const { min, max, ...common } = known
  const constants = Object.entries({ default: known.default, backfill: known.backfill })
  const long = constants.flatMap(([path, value]) => (isLong(value) ? [{ path, ...longMistake }] : []))
  const mistakes = [...found, ...long]
  return makeField(floatType, {
    ...common,
    limits: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) },
    mistakes,
  })
}
