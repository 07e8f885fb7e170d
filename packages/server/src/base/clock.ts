/** The clock as an argument: code that needs the time receives a clock, so tests can set it. */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** RFC 3339, in UTC, with milliseconds: the only way in which Bindery writes a time. */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** Whether Node's zone data have this IANA name: `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The year of a time there: `yearIn('Europe/Berlin', '2026-12-31T23:00:00.000Z')` → 2027. */
export function yearIn(zone: string, time: string): number {
  if (zone === 'UTC') return Number(time.slice(0, 4))
  return Number(new Date(time).toLocaleDateString('en', { timeZone: zone, year: 'numeric', calendar: 'iso8601' }))
}

/** The time of a clock as a text, for code that may not need it. */
export const nowOf = (timed: { readonly clock: Clock }) => () => timestampOf(timed.clock())
