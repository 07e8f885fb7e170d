/** The timestamp field: RFC 3339 text, shown in UTC with milliseconds. */
import { timestampOf } from '../../../base/clock.ts'
import { type MemberKind, type MemberProblem, type Members, oneOf, takeOptions } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  orderOperators,
} from '../field.ts'

/** Marks a time that lies between the millisecond that it names and the next. */
export const betweenMark = '5'

const pattern = /^\d{4}-\d{2}-\d{2}[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/**
 * RFC 3339 → UTC with milliseconds; also a bare date, which begins at midnight UTC. Throws
 * `bad-request`.
 */
function parseTimestamp(text: string, name: string): string {
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  const ms = pattern.test(full) ? Date.parse(full.toUpperCase().replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(ms)) throw fieldError(name, 'must be a timestamp such as 2026-01-31T12:00:00Z')
  const iso = timestampOf(ms)
  // Date.parse turns February 30 into March 2; such a day is refused. An offset of less than a day
  // moves it by one at most.
  const dayShift = Math.abs(Date.parse(`${full.slice(0, 10)}T00:00:00Z`) - Date.parse(`${iso.slice(0, 10)}T00:00:00Z`))
  const day = new Date(`${full.slice(0, 10)}T00:00:00Z`)
  if (iso.length !== 24 || dayShift > 86_400_000 || day.toISOString().slice(0, 10) !== full.slice(0, 10)) {
    throw fieldError(name, 'must be a timestamp such as 2026-01-31T12:00:00Z')
  }
  return iso
}

/** RFC 3339 → milliseconds; undefined for another text. */
export function timestampMs(text: string): number | undefined {
  try {
    return Date.parse(parseTimestamp(text, ''))
  } catch {
    return undefined
  }
}

/** The digits of a fraction of a second beyond its milliseconds, where they are not all zeros. */
const finer = /\.\d{3}0*[1-9]/

/**
 * Parses a time in a filter, which may be finer than stored ones: between two milliseconds it
 * equals none of them. `…00.0005Z` → `…00.000Z5`, which as a text is more than `…00.000Z` and less
 * than `…00.001Z`. Throws `bad-request`.
 */
function parseAsked(text: string, name: string): string {
  const iso = parseTimestamp(text, name)
  return finer.test(text) ? `${iso}${betweenMark}` : iso
}

/**
 * UTC with milliseconds is the only stored spelling, so that the order of the texts is the order of
 * time.
 */
function isCanonical(text: string): boolean {
  const ms = text.length === 24 ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && timestampOf(ms) === text
}

export const timestampType: FieldType = {
  name: 'timestamp',
  column: 'timestamp',
  operators: orderOperators,
  scalar: 'DateTime',
  inTime: { kind: 'moment', noun: 'time', at: (moment) => moment },
  sample: '2026-01-31T12:00:00.000Z',
  printFor: (moment, { language, zone }) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(
      Date.parse(moment as string),
    ),
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a timestamp')
    return parseTimestamp(value, name)
  },
  checkStored(value, name) {
    if (typeof value !== 'string' || !isCanonical(value)) throw fieldError(name, 'must be a timestamp')
  },
  isComparable: (value) => typeof value === 'string' && isCanonical(value),
  parse: parseAsked,
  parseCell: (cell, name) => parseTimestamp(cell.trim(), name),
  schema: () => ({ type: 'string', format: 'date-time', maxLength: 40 }),
}

type SetOn = 'create' | 'write' | 'transition'
type TimestampOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  S extends SetOn | undefined = SetOn | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /**
   * When the server sets it: on create, on every write, or on a transition that stamps it. It is
   * read-only then.
   */
  setOn?: S
}
const sources = oneOf(['create', 'write', 'transition'])
const setOnKind: MemberKind = (value, path, report) =>
  value === 'move' ? report({ path, problem: '"move" is called "transition" now' }) : sources(value, path, report)
const members = { ...commonMembers, setOn: setOnKind } satisfies Members<TimestampOptions>

type IsSet<S> = [S] extends ['create' | 'write'] ? true : false
type TimestampTraits<D, S, L extends string, Q extends string> = {
  kind: 'stored'
  filled: IsSet<S> extends true ? true : HasDefault<D>
  timed: IsSet<S>
  roles: L
  mentions: Q
}

/** A moment, RFC 3339 in UTC with milliseconds: `timestamp({ setOn: 'create' })`. */
export function timestamp<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  const S extends SetOn | undefined = undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: TimestampOptions<R, D, S, L, Q>,
): Field<
  IsSet<S> extends true ? string : R extends true ? string : string | null,
  string,
  TimestampTraits<D, S, L, Q>
> {
  const { known, mistakes } = takeOptions(options, members)
  const { setOn, ...common } = known as TimestampOptions
  const all: MemberProblem[] = [...mistakes]
  if (setOn && common.default !== undefined)
    all.push({ path: '', problem: 'has setOn, so its default is never used', isFormRight: true })
  const nullable = setOn !== 'create' && setOn !== 'write' && common.required !== true
  return makeField(timestampType, { ...common, ...(setOn ? { setBy: setOn } : {}), nullable, mistakes: all })
}
