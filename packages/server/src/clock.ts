/** Time as an argument: whoever needs the hour is handed a clock, so tests can turn it. */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** RFC 3339, UTC, milliseconds: the only way that Bindery writes a time. */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString()
}
