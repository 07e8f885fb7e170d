/** Tests that take long for what they add: `npm run test:long` runs them with all others, `npm test` leaves them out. */

/** `it('…', long, …)` */
export const long = { skip: process.env.TEST_LONG === undefined && 'npm run test:long runs it' }
