/** Whole numbers of 32 bits, so that REST and GraphQL (whose Int has 32) take and show the same ones. */
import {
  type CommonOptions,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  makeField,
  orderOperators,
  type ValueOf,
} from './field.ts'

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

/** A number in a query or a CSV cell: sign, digits, decimals, exponent. `undefined` for any other text. `parseNumber('1e3')` → 1000 */
export function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

export const integerType: FieldType<IntegerLimits> = {
  name: 'integer',
  column: 'integer',
  operators: orderOperators,
  scalar: 'Int',
  check: checkInteger,
  checkStored: checkInteger,
  isComparable: Number.isSafeInteger,
  parse(text, name) {
    const value = parseNumber(text)
    if (value === undefined || !Number.isSafeInteger(value)) throw fieldError(name, 'must be an integer')
    return value
  },
  parseCell: (cell, name, field) => integerType.parse(cell.trim(), name, field),
  schema: (field) => ({
    type: 'integer',
    minimum: field.limits.min ?? int32Min,
    maximum: field.limits.max ?? int32Max,
  }),
}

type IntegerOptions = CommonOptions & { min?: number; max?: number; falsyIsDefault?: boolean }

/** `integer({ required: true, min: 1, max: 5 })`. */
export function integer<const O extends IntegerOptions>(options?: O): Field<ValueOf<number, O>> {
  const { min, max, ...common } = options ?? ({} as IntegerOptions)
  return makeField(integerType, { ...common, limits: { min, max } })
}
