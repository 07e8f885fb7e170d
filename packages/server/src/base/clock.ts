/** The clock as an argument: code that needs the time receives a clock, so tests can set it. */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** RFC 3339, in UTC, with milliseconds: the only way in which Bindery writes a time. */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString()
}
