/**
 * Converts values between the driver and the stored form: it parses the texts that PostgreSQL
 * sends.
 */
import { timestampOf } from '../../../base/clock.ts'
import { betweenMark } from '../../../resource/fields/times/timestamp.ts'

/**
 * `2026-01-31 10:00:00.5+00` → `2026-01-31T10:00:00.500Z`. The year before 1 is `0001-… BC` in
 * PostgreSQL, and 0 in RFC 3339.
 */
function decodeTimestamp(text: string): string {
  const parts = /^(\d+)(-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\d*([+-]\d\d)(?::?(\d\d))?( BC)?$/.exec(text)
  if (!parts) throw new Error(`PostgreSQL sent no timestamp of ISO 8601: ${text}`)
  const [, year = '', day, time, fraction = '', hours, minutes = '00', before] = parts
  const rfcYear = before ? String(1 - Number(year)).padStart(4, '0') : year
  const utc = `${rfcYear}${day}T${time}.${fraction.padEnd(3, '0')}`
  return hours === '+00' && minutes === '00' ? `${utc}Z` : timestampOf(Date.parse(`${utc}${hours}:${minutes}`))
}

export function encodeTimestamp(text: string): string {
  // A filter may ask between two milliseconds
  const utc = text.endsWith('Z') ? text : `${text.slice(0, -2)}${betweenMark}Z`
  return utc.startsWith('0000-') ? `0001${utc.slice(4).replace('Z', '+00')} BC` : utc
}

type ParseText = (text: string) => unknown
const asItIs: ParseText = (text) => text

/** By type number (pg_type.oid). */
const parsers: Readonly<Record<number, ParseText>> = {
  16: (text) => text === 't',
  20: Number, // int8: no stored integer is beyond 2^53
  21: Number,
  23: Number,
  114: (text) => JSON.parse(text),
  701: Number, // float8: the shortest text that is this number
  1184: decodeTimestamp,
  3802: (text) => JSON.parse(text),
}

export const typeParsers = { getTypeParser: (oid: number): ParseText => parsers[oid] ?? asItIs }
