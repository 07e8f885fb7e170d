/** The day of a moment in a time zone, for defaults and hooks of declarations. */
import { timestampOf } from '../../../base/clock.ts'
import { offsetReader } from '../../../base/zone-offsets.ts'

/**
 * The day of a moment there: `dayIn('Europe/Berlin', '2026-12-31T23:00:00.000Z')` → `2027-01-01`.
 * Throws a RangeError for a zone that Node's data do not have.
 */
export function dayIn(zone: string, time: string): string {
  const ms = Date.parse(time)
  return timestampOf(ms + offsetReader(zone)(ms) * 1000).slice(0, 10)
}
