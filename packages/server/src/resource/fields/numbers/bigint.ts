/**
 * The bigint field: whole numbers of 64 bits. JSON has them as text, because most programs read a
 * JSON number as a double, which loses digits above 2⁵³. The stored value is a bigint.
 */
import { kindOf, type Members, takeOptions } from '../../members.ts'
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
import { averageWhole, longMax, longMin, parseWhole } from './parse-whole.ts'

type BigintLimits = { readonly min?: bigint; readonly max?: bigint }

const written = /^-?(?:0|[1-9]\d{0,18})$/
const advice = 'must be a whole number, as text such as "9007199254740993"'

function checkRange(value: bigint, name: string, field: FieldOf<BigintLimits>): bigint {
  const { min = longMin, max = longMax } = field.limits
  if (value < min || value > max) throw fieldError(name, `must be from ${min} to ${max}`)
  return value
}

/** A text of digits, or a JSON number that is exact. */
function checkBigint(value: unknown, name: string, field: FieldOf<BigintLimits>): bigint {
  if (typeof value === 'bigint') return checkRange(value, name, field) // a declared constant
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw fieldError(name, advice)
    if (!Number.isSafeInteger(value)) throw fieldError(name, 'is too large for an exact JSON number; send it as text')
    return checkRange(BigInt(value), name, field)
  }
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw fieldError(name, advice)
  if (/^-?0\d|^-0/.test(value)) throw fieldError(name, 'must have no zeros in front, and no -0')
  // A text of more digits is beyond every limit, and is not worth the conversion.
  return checkRange(
    written.test(value) ? BigInt(value) : value.startsWith('-') ? longMin - 1n : longMax + 1n,
    name,
    field,
  )
}

function parseBound(text: string, name: string) {
  const bound = parseWhole(text, 0)
  if (!bound) throw fieldError(name, 'must be a number')
  return bound
}

export const bigintType: FieldType<BigintLimits> = {
  name: 'bigint',
  column: 'long',
  operators: orderOperators,
  scalar: 'BigInt',
  adds: { average: averageWhole, scalar: 'BigInt', isLong: true },
  sample: 1n,
  check: checkBigint,
  checkStored(value, name, field) {
    if (typeof value !== 'bigint') throw fieldError(name, 'must be a bigint')
    checkRange(value, name, field)
  },
  isComparable: (value) => typeof value === 'bigint' && value >= longMin && value <= longMax,
  parse: checkBigint,
  parseBound,
  filterText(value, name) {
    if (typeof value === 'string') return value
    if (Number.isSafeInteger(value)) return String(value)
    throw fieldError(name, Number.isInteger(value) ? 'is beyond what a JSON number holds exactly' : advice)
  },
  parseCell: (cell, name, field) => checkBigint(cell.trim(), name, field),
  represent: String,
  example: (field) => String(exampleWithin(field.limits)),
  schema: (field) => ({
    type: 'string',
    format: 'int64',
    pattern: '^-?\\d{1,19}$',
    description: describe(field.limits),
  }),
  limitsMistake({ min = longMin, max = longMax }) {
    const wrong = Object.entries({ min, max }).find(([, limit]) => limit < longMin || limit > longMax)
    if (wrong) return `${wrong[0]} must be a whole number of 64 bits, and is ${wrong[1]}`
    return min > max ? `min (${min}) is above max (${max})` : undefined
  },
}

function exampleWithin({ min = longMin, max = longMax }: BigintLimits): bigint {
  const usual = 9_007_199_254_740_993n
  if (usual < min) return min
  return usual > max ? max : usual
}

function describe({ min, max }: BigintLimits): string {
  const least = min === undefined ? '' : ` At least ${min}.`
  const most = max === undefined ? '' : ` At most ${max}.`
  return `A whole number of 64 bits.${least}${most}`
}

type WholeNumber = bigint | number
type BigintOptions<
  R extends boolean = boolean,
  D = DefaultOf<bigint> | undefined,
  L extends string = string,
  Q extends string = string,
> = IncrementOption &
  CommonOptions<R, D, bigint, never, L, Q> & {
    /** The least that is allowed; −2⁶³ unless said. */
    min?: WholeNumber
    /** The most that is allowed; 2⁶³ − 1 unless said. */
    max?: WholeNumber
  }
const wholeKind = kindOf(
  'a whole number, as a bigint such as 5n',
  (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
)
const members = {
  ...commonMembers,
  ...incrementMembers,
  min: wholeKind,
  max: wholeKind,
} satisfies Members<BigintOptions>

const wholeOf = (limit: WholeNumber | undefined) => (limit === undefined ? undefined : BigInt(limit))

/**
 * A whole number of 64 bits: `bigint({ required: true, min: 0 })`. JSON has it as text; actions,
 * `onWrite` and derived fields see a bigint.
 */
export function bigint<
  const R extends boolean = false,
  const D extends DefaultOf<bigint> | undefined = DefaultOf<bigint> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: BigintOptions<R, D, L, Q>,
): Field<ValueOf<bigint, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { min, max, example, ...common } = known
  return makeField(bigintType, {
    ...common,
    ...(example !== undefined && { example: String(example) }),
    limits: { min: wholeOf(min), max: wholeOf(max) },
    mistakes,
  })
}
