/** How the values of a field type lie in time. Summaries, rules and sentences ask for it. */

export type InTime = {
  /** A moment of the whole world, a day of the calendar, or a time on the clock. */
  readonly kind: 'moment' | 'day' | 'clock'
  /** The word for a value in sentences. */
  readonly noun: string
  /** The value at a moment (RFC 3339 in UTC), which `now()` is compared as. */
  at?(moment: string): string
}
