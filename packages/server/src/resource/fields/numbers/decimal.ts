/**
 * The decimal field: numbers with a fixed count of decimals, exact everywhere. The stored value is
 * a bigint of the last decimal, `12.50` → 1250n, in a 64-bit integer. No float is on the way.
 */
import { kindOf, type MemberProblem, type Members, oneOf, takeOptions } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type HasDefault,
  type Json,
  type JsonSchema,
  makeField,
  orderOperators,
  type ValueOf,
} from '../field.ts'
import { placesMistake, printDecimal, readDecimal } from './decimal-text.ts'
import { type IncrementOption, incrementMembers } from './increment.ts'
import { averageWhole, longMax, longMin, parseWhole } from './parse-whole.ts'

/** `min`, `max`: as stored. */
type DecimalLimits = {
  readonly precision: number
  readonly scale: number
  readonly min?: bigint
  readonly max?: bigint
}
type DecimalField = FieldOf<DecimalLimits>

const precisionMax = 18
/** The digits of the greatest number of 64 bits. */
const longDigits = 19
/** Every number of so many digits is one that a double gives back unchanged. */
const numberDigitsMax = 15

function rangeOf({ precision, min, max }: DecimalLimits): Required<Pick<DecimalLimits, 'min' | 'max'>> {
  const most = 10n ** BigInt(precision) - 1n
  if (most > longMax) return { min: min ?? longMin, max: max ?? longMax } // of a sum
  return { min: min ?? -most, max: max ?? most }
}

function checkRange(value: bigint, name: string, { limits }: DecimalField): bigint {
  const { min, max } = rangeOf(limits)
  if (value >= min && value <= max) return value
  throw fieldError(name, `must be from ${printDecimal(min, limits.scale)} to ${printDecimal(max, limits.scale)}`)
}

/** Whole numbers beyond 2⁵³ may have lost digits before they were sent. */
const isRounded = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

function checkDecimal(value: unknown, name: string, field: DecimalField): bigint {
  if (typeof value === 'bigint') return checkRange(value, name, field) // a declared constant
  const found = readDecimal(value, field.limits.scale)
  if (typeof found !== 'bigint') throw fieldError(name, found.mistake)
  checkRange(found, name, field)
  if (isRounded(value)) throw fieldError(name, 'is too large for an exact JSON number; send it as text')
  return found
}

const kindOfScale = (scale: number) => `decimal with scale ${scale}`

/** How many decimals the whole numbers of another type stand for. */
function scaleOfKind(kind: string): number | undefined {
  if (kind === 'integer' || kind === 'bigint') return 0
  if (kind === 'money') return 2
  const scale = Number(/^decimal with scale (\d+)$/.exec(kind)?.[1] ?? Number.NaN)
  return Number.isNaN(scale) ? undefined : scale
}

/** Fewer decimals only where the others are zeros. */
function rescale(value: bigint, from: number, { name, scale }: { readonly name: string; readonly scale: number }) {
  if (scale >= from) return value * 10n ** BigInt(scale - from)
  const part = 10n ** BigInt(from - scale)
  if (value % part === 0n) return value / part
  throw fieldError(name, placesMistake(scale))
}

function exampleOf({ limits }: DecimalField): bigint {
  const { min, max } = rangeOf(limits)
  const usual = 125n * 10n ** BigInt(Math.max(0, Math.min(limits.scale - 1, limits.precision - 3)))
  if (usual < min) return min
  return usual > max ? max : usual
}

function describe({ scale, min, max }: DecimalLimits): string {
  const places = scale === 0 ? 'no decimals' : scale === 1 ? 'one decimal' : `${scale} decimals`
  const least = min === undefined ? '' : ` At least ${printDecimal(min, scale)}.`
  const most = max === undefined ? '' : ` At most ${printDecimal(max, scale)}.`
  return `An exact number with ${places}.${least}${most}`
}

function textSchema({ limits }: DecimalField): JsonSchema {
  const { precision, scale } = limits
  const decimals = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`
  const pattern = `^-?\\d{1,${Math.max(1, precision - scale)}}${decimals}$`
  return { type: 'string', format: 'decimal', pattern, description: describe(limits) }
}

function numberSchema({ limits }: DecimalField): JsonSchema {
  const { min, max } = rangeOf(limits)
  const [minimum, maximum] = [min, max].map((one) => Number(printDecimal(one, limits.scale))) as [number, number]
  return { type: 'number', description: describe(limits), minimum, maximum }
}

type Form = {
  represent(value: bigint, scale: number): Json
  readonly schema: FieldType<DecimalLimits>['schema']
  /** The most digits that JSON has exactly; any count where there is none. */
  readonly digitsMax?: number
}

function typeOf({ represent, schema, digitsMax }: Form): FieldType<DecimalLimits> {
  const show = (value: unknown, { limits }: DecimalField) => represent(value as bigint, limits.scale)
  return {
    name: 'decimal',
    column: 'long',
    operators: orderOperators,
    scalar: 'Decimal',
    adds: {
      ...{ average: averageWhole, scalar: 'Decimal', isLong: true },
      ...(digitsMax !== undefined && { sumMax: 10n ** BigInt(digitsMax) - 1n }),
      limitsOfSum: ({ scale }) => ({ precision: digitsMax ?? longDigits, scale }),
    },
    sample: 1n,
    scaleOf: ({ limits }) => limits.scale,
    storedAs: ({ limits }) => kindOfScale(limits.scale),
    converts(kind, name, { limits: { scale } }) {
      const from = scaleOfKind(kind)
      return from === undefined ? undefined : (value) => rescale(BigInt(value as bigint), from, { name, scale })
    },
    check: checkDecimal,
    checkStored(value, name, field) {
      if (typeof value !== 'bigint') throw fieldError(name, 'must be a bigint')
      checkRange(value, name, field)
    },
    isComparable: (value) => typeof value === 'bigint' && value >= longMin && value <= longMax,
    parse: checkDecimal,
    parseBound(text, name, { limits }) {
      const bound = parseWhole(text, limits.scale)
      if (!bound) throw fieldError(name, 'must be a number')
      return bound
    },
    filterText(value, name) {
      if (typeof value === 'string') return value
      if (isRounded(value)) throw fieldError(name, 'is beyond what a JSON number holds exactly')
      if (typeof value === 'number') return String(value)
      throw fieldError(name, 'must be a number')
    },
    parseCell: (cell, name, field) => checkDecimal(cell.trim(), name, field),
    represent: show,
    example: (field) => show(exampleOf(field), field),
    schema,
    limitsMistake({ precision, scale, min, max }) {
      if (scale > precision) return `scale (${scale}) is above precision (${precision})`
      if (digitsMax !== undefined && precision > digitsMax)
        return `json: 'number' is exact up to a precision of ${digitsMax}, and precision is ${precision}`
      const { min: least, max: most } = rangeOf({ precision, scale })
      const wrong = Object.entries({ min, max }).find(([, one]) => one !== undefined && (one < least || one > most))
      if (wrong) return `${wrong[0]} is beyond a precision of ${precision}`
      const isCrossed = min !== undefined && max !== undefined && min > max
      return isCrossed ? `min (${printDecimal(min, scale)}) is above max (${printDecimal(max, scale)})` : undefined
    },
  }
}

const textType = typeOf({ represent: printDecimal, schema: textSchema })
const numberType = typeOf({
  represent: (value, scale) => Number(printDecimal(value, scale)),
  schema: numberSchema,
  digitsMax: numberDigitsMax,
})

/** A constant of the declaration: text or a number, or a bigint of the last decimal. */
type Amount = string | number | bigint
type DecimalOptions<
  R extends boolean = boolean,
  D = DefaultOf<bigint> | Amount | undefined,
  L extends string = string,
  Q extends string = string,
> = IncrementOption &
  CommonOptions<R, D, Amount, never, L, Q> & {
    /** How many digits a value may have, 18 at most. */
    precision: number
    /** How many of them stand behind the point. */
    scale: number
    /** The least that is allowed: `'0.00'`. */
    min?: Amount
    /** The most that is allowed: `'99.95'`. */
    max?: Amount
    /** How JSON has it: as text unless said. A number needs a precision of 15 at most. */
    json?: 'text' | 'number'
  }

const digitsKind = (least: number) =>
  kindOf(
    `a whole number from ${least} to ${precisionMax}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= precisionMax,
  )
const amountKind = kindOf('a number, as text such as "0.00"', (value) =>
  ['string', 'number', 'bigint'].includes(typeof value),
)
const members = {
  ...commonMembers,
  ...incrementMembers,
  precision: digitsKind(1),
  scale: digitsKind(0),
  min: amountKind,
  max: amountKind,
  json: oneOf(['text', 'number']),
} satisfies Members<DecimalOptions>

/** The limit as it is stored. Adds to `mistakes` where it is none. */
function limitOf(
  said: { readonly name: 'min' | 'max'; readonly amount: Amount | undefined; readonly scale: number },
  mistakes: MemberProblem[],
): { readonly min?: bigint; readonly max?: bigint } {
  const { name, amount, scale } = said
  if (amount === undefined) return {}
  const found = typeof amount === 'bigint' ? amount : readDecimal(amount, scale)
  if (typeof found === 'bigint') return { [name]: found }
  mistakes.push({ path: name, problem: found.mistake, isFormRight: true })
  return {}
}

const storing =
  <A extends readonly never[]>(make: (...given: A) => Amount | null, stored: (amount: unknown) => unknown) =>
  (...given: A) =>
    stored(make(...given))

/**
 * A number with a fixed count of decimals: `decimal({ precision: 10, scale: 2 })`. JSON has it as
 * text, `"12.50"`; actions, `onWrite` and derived fields see a bigint of the last decimal, `1250n`.
 */
export function decimal<
  const R extends boolean = false,
  const D extends DefaultOf<bigint> | Amount | undefined = DefaultOf<bigint> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options: DecimalOptions<R, D, L, Q>,
): Field<ValueOf<bigint, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const taken = takeOptions(options, members)
  const { precision = precisionMax, scale = 0, min, max, json, default: fallback, ...others } = taken.known
  const { example, backfill, convert, ...common } = others
  const mistakes = [...taken.mistakes]
  for (const name of ['precision', 'scale'] as const)
    if (options?.[name] === undefined) mistakes.push({ path: '', problem: `needs ${name}`, isFormRight: true })
  const limits = {
    ...{ precision, scale },
    ...limitOf({ name: 'min', amount: min, scale }, mistakes),
    ...limitOf({ name: 'max', amount: max, scale }, mistakes),
  }
  const type = json === 'number' ? numberType : textType
  /** The stored form. A wrong one stays as it is, and its check refuses it. */
  const stored = (amount: unknown) => {
    const found = typeof amount === 'bigint' ? amount : readDecimal(amount, scale)
    return typeof found === 'bigint' ? found : amount
  }
  /** As documents show it. */
  const shown = (amount: unknown) => {
    const found = stored(amount)
    return typeof found === 'bigint' ? type.represent?.(found, { limits } as DecimalField) : found
  }
  return makeField(type, {
    ...common,
    ...(fallback !== undefined && { default: typeof fallback === 'function' ? fallback : shown(fallback) }),
    ...(example !== undefined && { example: shown(example) }),
    ...(backfill !== undefined && { backfill: typeof backfill === 'function' ? storing(backfill, stored) : backfill }),
    ...(convert && { convert: storing(convert, stored) }),
    limits,
    mistakes,
  } as never)
}
