/**
 * Tests that take long for what they add: `npm run test:long` runs them with all others, `npm test`
 * leaves them out.
 */

const isLong = process.env.TEST_LONG !== undefined

/** `it('…', long, …)` */
export const long = { skip: !isLong && 'npm run test:long runs it' }

/** What a test does less of in `npm test`: rows, rounds, kinds. */
export function shortOr<T>(short: T, whole: T): T {
  return isLong ? whole : short
}
