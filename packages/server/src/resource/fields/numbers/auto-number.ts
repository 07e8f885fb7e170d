/**
 * The number that the engine counts without gaps when it stores a record: in the table, in each
 * tenant, in each year, or in both. The database has whole numbers, year × 10⁹ + count, which sort
 * as they count. Callers see a text, `INV-2026-0001`.
 */

import { isTimeZone, yearIn } from '../../../base/clock.ts'
import {
  countKind,
  functionKind,
  kindOf,
  type Members,
  oneOf,
  oneOrMore,
  takeOptions,
  textKind,
} from '../../members.ts'
import type { Rule } from '../../rule.ts'
import type { Deprecation } from '../../words/deprecation.ts'
import type { StoredRow } from '../computed/earlier-values.ts'
import {
  commonMembers,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  makeField,
  orderOperators,
} from '../field.ts'

type Per = 'tenant' | 'year'

/** `zone`: where the year begins; absent where the numbers are not counted by year. */
type NumberLimits = {
  readonly prefix: string
  readonly digits: number
  readonly tenant?: 'each'
  readonly zone?: string
}

/** One year's numbers, and those of the next, are this far apart. */
const seriesSize = 1_000_000_000
const digitsMax = 9
const prefixMax = 20
/** Nothing in it ends a cell of CSV or a value of `in`, or makes a cell a formula. */
const prefixPattern = /^[\p{L}\p{N}#][\p{L}\p{N} ./_#-]*$/u

/** 2026000000001 → `INV-2026-0001` */
function print(value: number, { prefix, digits, zone }: NumberLimits): string {
  const year = Math.floor(value / seriesSize)
  const count = String(value % seriesSize).padStart(digits, '0')
  return zone === undefined ? `${prefix}${count}` : `${prefix}${String(year).padStart(4, '0')}-${count}`
}

/** In any case, with any zeros: `inv-2026-1` → 2026000000001. Throws `bad-request`. */
function parse(text: string, name: string, { limits }: FieldOf<NumberLimits>): number {
  const { prefix, zone } = limits
  const isPrefixed = text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase()
  const parts = (zone === undefined ? /^()(\d{1,9})$/ : /^(\d{4})-(\d{1,9})$/).exec(text.slice(prefix.length))
  if (!isPrefixed || !parts) throw fieldError(name, `must be a number such as ${exampleOf(limits)}`)
  return Number(parts[1]) * seriesSize + Number(parts[2])
}

function checkStored(value: unknown, name: string, { limits }: FieldOf<NumberLimits>): void {
  const count = Number.isSafeInteger(value) ? (value as number) % seriesSize : 0
  const hasYear = (value as number) > seriesSize
  if (count < 1 || hasYear !== (limits.zone !== undefined))
    throw fieldError(name, 'must be a number that the engine has counted')
}

function exampleOf(limits: NumberLimits): string {
  return print(2026 * seriesSize + 1, { ...limits, digits: Math.min(limits.digits, digitsMax) })
}

export const autoNumberType: FieldType<NumberLimits> = {
  name: 'autoNumber',
  column: 'integer',
  operators: orderOperators,
  scalar: 'String',
  series: {
    isPerTenant: ({ limits }) => limits.tenant !== undefined,
    base: ({ limits }, time) => (limits.zone === undefined ? 0 : yearIn(limits.zone, time) * seriesSize),
    size: seriesSize,
  },
  storedAs: ({ limits }) => (limits.zone === undefined ? 'autoNumber' : 'autoNumber by year'),
  check(value, name, field) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    return parse(value, name, field)
  },
  checkStored,
  isComparable: Number.isSafeInteger,
  parse,
  parseCell: (cell, name, field) => parse(cell.trim(), name, field),
  represent: (value, { limits }) => print(value as number, limits),
  schema: ({ limits: { prefix, digits, zone } }) => ({
    type: 'string',
    pattern: `^${prefix.replaceAll('.', '\\.')}${zone === undefined ? '' : '\\d{4}-'}\\d{${digits},${digitsMax}}$`,
    maxLength: prefix.length + 5 + digitsMax,
  }),
  limitsMistake({ prefix, digits, zone }) {
    if (digits > digitsMax) return `digits (${digits}) is above ${digitsMax}`
    if (prefix.length > prefixMax) return `prefix has ${prefix.length} characters: ${prefixMax} at most`
    if (prefix !== '' && !prefixPattern.test(prefix))
      return `prefix ${JSON.stringify(prefix)} must be letters, digits, spaces and . / _ # -, and begin with a letter, a digit or #`
    return zone === undefined || isTimeZone(zone) ? undefined : `zone "${zone}" is no time zone, such as Europe/Berlin`
  },
}

/**
 * A number as people read it, for actions, hooks and effects, which see the stored one:
 * `printNumber(number, record.number)` → `INV-2026-0001`.
 */
export function printNumber(field: Field, stored: number): string {
  const { type, limits } = field
  if (type.series === undefined) throw new TypeError(`printNumber() takes an autoNumber(), and is given ${type.name}()`)
  return print(stored, limits as NumberLimits)
}

type AutoNumberOptions<L extends string = string, Q extends string = string> = {
  /** It stands before each number: `INV-`. Another one changes how all numbers are shown. */
  prefix?: string
  /** The series: one in each tenant, one in each year, or both. One for the table without it. */
  per?: Per | readonly Per[]
  /** As many digits at least, with zeros in front; 4 unless said, 9 at most. */
  digits?: number
  /** Where a year begins: an IANA name, such as `Europe/Berlin`; UTC unless said. */
  zone?: string
  /** The former name, or names, of the field. */
  renamedFrom?: string | readonly string[]
  /** Stored values of another type → the number that they become: `(value) => value`. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of an earlier declaration is one that nobody knows any more.
  convert?: (value: any, row: StoredRow) => string
  /** The callers who may see it, as in every field. */
  read?: Rule<Q, Q, L>
  /** One sentence for the documents. */
  description?: string
  /** It is deprecated: the documents say since when, and what to use. */
  deprecated?: Deprecation
}
const members = {
  prefix: kindOf('a text', (value) => typeof value === 'string'),
  per: oneOrMore(oneOf(['tenant', 'year'])),
  digits: countKind,
  zone: textKind,
  renamedFrom: commonMembers.renamedFrom,
  convert: functionKind,
  read: commonMembers.read,
  description: commonMembers.description,
  deprecated: commonMembers.deprecated,
} satisfies Members<AutoNumberOptions>

type NumberTraits<L extends string, Q extends string> = {
  kind: 'stored'
  filled: true
  timed: true
  roles: L
  mentions: Q
}

/**
 * A number that the engine counts without gaps: `autoNumber({ prefix: 'INV-', per: 'year' })` →
 * `INV-2026-0001`. It is read-only, unique in its series, and never changes. A write that is undone
 * gives its number back; a record that is deleted leaves a gap.
 */
export function autoNumber<L extends string = never, Q extends string = never>(
  options?: AutoNumberOptions<L, Q>,
): Field<number, string, NumberTraits<L, Q>> {
  const { known, mistakes } = takeOptions(options, members)
  const { prefix = '', per = [], digits = 4, zone, convert, ...common } = known as AutoNumberOptions
  const scopes = [per].flat()
  const limits: NumberLimits = {
    prefix,
    digits,
    ...(scopes.includes('tenant') && { tenant: 'each' }),
    ...(scopes.includes('year') && { zone: zone ?? 'UTC' }),
  }
  const needless = { path: '', problem: "zone means nothing without per: 'year'", isFormRight: true } as const
  const field = { limits } as FieldOf<NumberLimits>
  return makeField(autoNumberType, {
    ...common,
    ...(convert && { convert: (value: unknown, row: StoredRow) => parse(convert(value, row), 'its number', field) }),
    ...{ setBy: 'engine', unique: true, nullable: false, limits, example: exampleOf(limits) },
    mistakes: zone !== undefined && limits.zone === undefined ? [...mistakes, needless] : mistakes,
  } as never)
}
