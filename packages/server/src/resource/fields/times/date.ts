/**
 * The date field: a day of the calendar, RFC 3339 full-date. It has no time zone: its text is the
 * same in JSON, in files and in both databases. Text order is the order of time.
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

const pattern = /^(\d{4})-(\d{2})-(\d{2})$/
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (lengths[month - 1] ?? 0)
}

/** The problem with a text that is no day: `2026-02-30` → `… 2026-02 has 28 days`. */
function dayProblem(text: unknown): string | undefined {
  const found = typeof text === 'string' ? pattern.exec(text) : null
  if (!found) return 'must be a date such as 2026-01-31'
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]
  const days = daysIn(year, month)
  if (days === 0) return `must be a date of the calendar: there is no month ${found[2]}`
  if (day >= 1 && day <= days) return undefined
  return `must be a date of the calendar: ${found[1]}-${found[2]} has ${days} days`
}

/** Throws `bad-request`. */
function parseDay(text: unknown, name: string): string {
  const problem = dayProblem(text)
  if (problem !== undefined) throw fieldError(name, problem)
  return text as string
}

function checkDay(value: unknown, name: string, { limits }: FieldOf<TimeLimits>): string {
  const day = parseDay(value, name)
  checkTimeLimits(day, name, limits)
  return day
}

export const dateType: FieldType<TimeLimits> = {
  name: 'date',
  column: 'text',
  operators: orderOperators,
  scalar: 'Date',
  inTime: { kind: 'day', noun: 'date', at: (moment) => moment.slice(0, 10) },
  sample: '2026-01-31',
  printFor: (day, { language }) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day as string)),
  check: checkDay,
  checkStored: checkDay,
  isComparable: (value) => dayProblem(value) === undefined,
  parse: parseDay,
  parseCell: (cell, name) => parseDay(cell.trim(), name),
  schema: ({ limits }) => ({ type: 'string', format: 'date', maxLength: 10, ...describeTimeLimits(limits) }),
  limitsMistake: timeLimitsMistake,
}

type DateOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /** The earliest date: `1900-01-01`. */
  min?: string
  /** The latest date. */
  max?: string
}
const limitKind = kindOf('a date such as 2026-01-31', (value) => dayProblem(value) === undefined)
const members = { ...commonMembers, min: limitKind, max: limitKind } satisfies Members<DateOptions>

/**
 * A day of the calendar without a time zone, from year 0000 to 9999: `date({ min: '1900-01-01' })`.
 * `default: ({ now }) => dayIn('Europe/Berlin', now)` is today there.
 */
export function date<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: DateOptions<R, D, L, Q>,
): Field<ValueOf<string, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { min, max, ...common } = known
  return makeField(dateType, { ...common, limits: { min, max }, mistakes })
}
