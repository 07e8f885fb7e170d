/** Moments: RFC 3339 text, shown in UTC with milliseconds. */
import { timestampOf } from '../../clock.ts'
import {
  type CommonOptions,
  type Field,
  type FieldType,
  fieldError,
  makeField,
  orderOperators,
  type SetBy,
} from './field.ts'

const pattern = /^\d{4}-\d{2}-\d{2}[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** RFC 3339 → UTC with milliseconds; also a bare date, which begins at midnight UTC. Throws `bad-request`. */
function parseTimestamp(text: string, name: string): string {
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  const ms = pattern.test(full) ? Date.parse(full.toUpperCase().replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(ms)) throw fieldError(name, 'must be a timestamp such as 2026-01-31T12:00:00Z')
  const iso = timestampOf(ms)
  // Date.parse turns February 30 into March 2; such a day is refused. An offset of less than a day moves it by one at most.
  const dayShift = Math.abs(Date.parse(`${full.slice(0, 10)}T00:00:00Z`) - Date.parse(`${iso.slice(0, 10)}T00:00:00Z`))
  const day = new Date(`${full.slice(0, 10)}T00:00:00Z`)
  if (iso.length !== 24 || dayShift > 86_400_000 || day.toISOString().slice(0, 10) !== full.slice(0, 10)) {
    throw fieldError(name, 'must be a timestamp such as 2026-01-31T12:00:00Z')
  }
  return iso
}

/** UTC with milliseconds is the only stored spelling, so that the order of the texts is the order of time. */
function isCanonical(text: string): boolean {
  const ms = text.length === 24 ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && timestampOf(ms) === text
}

export const timestampType: FieldType = {
  name: 'timestamp',
  column: 'timestamp',
  operators: orderOperators,
  scalar: 'String',
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a timestamp')
    return parseTimestamp(value, name)
  },
  checkStored(value, name) {
    if (typeof value !== 'string' || !isCanonical(value)) throw fieldError(name, 'must be a timestamp')
  },
  isComparable: (value) => typeof value === 'string' && isCanonical(value),
  parse: parseTimestamp,
  parseCell: (cell, name) => parseTimestamp(cell.trim(), name),
  schema: () => ({ type: 'string', format: 'date-time' }),
}

type TimestampOptions = CommonOptions & {
  /** When the engine sets it: on create, on every write, or on a move that stamps it. */
  setOn?: 'create' | 'write' | 'move'
}
type TimestampValue<O> = O extends { setOn: 'create' | 'write' } ? string : string | null

/** `timestamp({ setOn: 'create' })`. */
export function timestamp<const O extends TimestampOptions>(options?: O): Field<TimestampValue<O>> {
  const { setOn, ...common } = options ?? ({} as TimestampOptions)
  const nullable = setOn !== 'create' && setOn !== 'write' && common.required !== true
  return makeField(timestampType, { ...common, setBy: setOn as SetBy | undefined, nullable })
}
