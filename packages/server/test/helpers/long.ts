/**
 * Marks tests that take long for their benefit: `npm run test:long` runs them with all others,
 * `npm test` skips them.
 */

const isLong = process.env.TEST_LONG !== undefined

/** `it('…', long, …)` */
export const long = { skip: !isLong && 'npm run test:long runs it' }

/** A smaller number of rows, rounds or kinds for `npm test`. */
export function shortOr<T>(short: T, whole: T): T {
  return isLong ? whole : short
}
