/**
 * The money field: amounts in the one currency of the deployment. JSON has numbers with at most two
 * decimals; the database has whole minor units (cents), so sums are exact. Actions and derived
 * fields see minor units.
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
import { type IncrementOption, incrementMembers } from './increment.ts'
import { parseDecimal } from './parse-decimal.ts'
import { averageWhole } from './parse-whole.ts'

const decimals = 2
const minorPerUnit = 10 ** decimals
const unitsMax = 1e12
/** Doubles of up to 2⁴⁶ lie closer together than cents, so each is one amount. */
const sumMax = 100n * 2n ** 46n

/** In units. */
type MoneyLimits = { readonly min?: number; readonly max?: number }

/** `19.99` → 1999; `undefined` when it has more than two decimals. */
function toMinor(value: number): number | undefined {
  const minor = Math.round(value * minorPerUnit)
  if (minor / minorPerUnit !== value) return undefined
  return minor === 0 ? 0 : minor
}

function checkLimits(units: number, name: string, { min, max }: Required<MoneyLimits>): void {
  if (units < min) throw fieldError(name, `must be at least ${min}`)
  if (units > max) throw fieldError(name, `must be at most ${max}`)
}

function checkMoney(value: unknown, name: string, field: FieldOf<MoneyLimits>): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw fieldError(name, 'must be a number')
  const { min = -unitsMax, max = unitsMax } = field.limits
  checkLimits(value, name, { min, max })
  const minor = toMinor(value)
  if (minor === undefined) throw fieldError(name, 'must have at most two decimals')
  return minor
}

/** A stored sum may exceed what callers may send, as long as it is exact. */
function checkMinor(value: unknown, name: string, field: FieldOf<MoneyLimits>): void {
  if (typeof value !== 'number') throw fieldError(name, 'must be a number')
  if (!Number.isInteger(value)) throw fieldError(name, 'must have at most two decimals')
  if (!Number.isSafeInteger(value)) throw fieldError(name, 'is too large to be exact')
  const { min = -Infinity, max = Infinity } = field.limits
  checkLimits(value / minorPerUnit, name, { min, max })
}

export const moneyType: FieldType<MoneyLimits> = {
  name: 'money',
  column: 'integer',
  operators: orderOperators,
  scalar: 'Money',
  // In whole cents, half a cent away from zero.
  adds: { average: (sum, values) => Number(averageWhole(sum, values)), scalar: 'Money', sumMax },
  check: checkMoney,
  checkStored: checkMinor,
  isComparable: Number.isSafeInteger,
  /**
   * The number in a filter may have more decimals than a price, and lie beyond every price: it is
   * compared as it is.
   */
  parse(text, name) {
    const minor = parseDecimal(text, decimals)
    if (minor === undefined) throw fieldError(name, 'must be a number')
    return minor
  },
  parseCell: (cell, name, field) => moneyType.parse(cell.trim(), name, field),
  represent: (minor) => (minor as number) / minorPerUnit,
  printFor: (minor, { language, currency }) =>
    new Intl.NumberFormat(language, { style: 'currency', currency }).format((minor as number) / minorPerUnit),
  /** It has no `multipleOf: 0.01`, because validators that divide binary fractions refuse 19.99. */
  schema: (field) => ({
    type: 'number',
    description: 'At most two decimals.',
    ...(field.limits.min === undefined ? {} : { minimum: field.limits.min }),
    ...(field.limits.max === undefined ? {} : { maximum: field.limits.max }),
  }),
  limitsMistake({ min = -unitsMax, max = unitsMax }) {
    const wrong = Object.entries({ min, max }).find(([, limit]) => Math.abs(limit) > unitsMax)
    if (wrong) return `${wrong[0]} is beyond every amount: ${unitsMax} at most`
    return min > max ? `min (${min}) is above max (${max})` : undefined
  },
}

type MoneyOptions<
  R extends boolean = boolean,
  D = DefaultOf<number> | undefined,
  L extends string = string,
  Q extends string = string,
> = IncrementOption &
  CommonOptions<R, D, number, never, L, Q> & {
    /** In units; −10¹² at least. */
    min?: number
    /** In units; 10¹² at most. */
    max?: number
  }
const members = {
  ...commonMembers,
  ...incrementMembers,
  min: numberKind,
  max: numberKind,
} satisfies Members<MoneyOptions>

/**
 * An amount of the one currency, a number with two decimals at most: `money({ required: true, min:
 * 0 })`. It is stored in cents, and that is what actions, `onWrite` and derived fields see.
 */
export function money<
  const R extends boolean = false,
  const D extends DefaultOf<number> | undefined = DefaultOf<number> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: MoneyOptions<R, D, L, Q>,
): Field<ValueOf<number, R, D>, string, { kind: 'number'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { min, max, ...common } = known
  return makeField(moneyType, { ...common, limits: { min, max }, mistakes })
}
