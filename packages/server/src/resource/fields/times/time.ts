/**
 * The time field: a time of day without a time zone, RFC 3339 partial-time. Its one stored form has
 * seconds, and milliseconds only where they are not zero, so its text order is the order of time.
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
import { checkTimeLimits, describeTimeLimits, type TimeLimits, timeLimitsMistake } from './time-limits.ts'

const pattern = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?$/
/** For documents: JSON Schema's format `time` has an offset. */
const written = '^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?$'
const withOffset = /^\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/
const looksRight = /^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/
const decimalsMax = 3
const lengthMax = '00:00:00.000'.length

function timeProblem(text: unknown): string {
  if (typeof text === 'string' && withOffset.test(text)) return 'must be a time without an offset, such as 12:30:00'
  if (typeof text !== 'string' || !looksRight.test(text)) return 'must be a time such as 12:30:00'
  return 'must be a time from 00:00:00 to 23:59:59.999'
}

/**
 * `12:30` → `12:30:00`, `12:30:00.5` → `12:30:00.500`. Digits beyond milliseconds stay where they
 * are not zero. Undefined for a text that is no time.
 */
function canonical(text: unknown): string | undefined {
  const found = typeof text === 'string' ? pattern.exec(text) : null
  if (!found) return undefined
  const [, hours, minutes, seconds = '00', fraction = ''] = found
  const digits = fraction.replace(/0+$/, '')
  return `${hours}:${minutes}:${seconds}${digits === '' ? '' : `.${digits.padEnd(decimalsMax, '0')}`}`
}

/** A time in a filter may be finer than stored ones, and then equals none. Throws `bad-request`. */
function parseTime(text: unknown, name: string): string {
  const time = canonical(text)
  if (time === undefined) throw fieldError(name, timeProblem(text))
  return time
}

function checkTime(value: unknown, name: string, { limits }: FieldOf<TimeLimits>): string {
  const time = parseTime(value, name)
  if (time.length > lengthMax) throw fieldError(name, 'must have at most three decimals of a second')
  checkTimeLimits(time, name, limits)
  return time
}

function isStored(value: unknown): value is string {
  return canonical(value) === value
}

export const timeType: FieldType<TimeLimits> = {
  name: 'time',
  column: 'text',
  operators: orderOperators,
  scalar: 'LocalTime',
  inTime: { kind: 'clock', noun: 'time' },
  sample: '12:30:00',
  check: checkTime,
  checkStored(value, name, field) {
    const stored = checkTime(value, name, field)
    if (stored !== value) throw fieldError(name, `is stored as ${stored}`)
  },
  isComparable: isStored,
  parse: parseTime,
  parseCell: (cell, name) => parseTime(cell.trim(), name),
  schema: ({ limits }) => ({ type: 'string', pattern: written, maxLength: 18, ...describeTimeLimits(limits) }),
  limitsMistake: timeLimitsMistake,
}

type TimeOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /** The earliest time: `08:00:00`. */
  min?: string
  /** The latest time. */
  max?: string
}
const limitKind = kindOf('a time such as 12:30:00', (value) => isStored(value) && value.length <= lengthMax)
const members = { ...commonMembers, min: limitKind, max: limitKind } satisfies Members<TimeOptions>

/**
 * A time of day without a time zone, to the millisecond: `time({ min: '08:00:00' })`. It is shown
 * as `12:30:00`, or as `12:30:00.500` where it has milliseconds.
 */
export function time<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: TimeOptions<R, D, L, Q>,
): Field<ValueOf<string, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { min, max, ...common } = known
  return makeField(timeType, { ...common, limits: { min, max }, mistakes })
}
