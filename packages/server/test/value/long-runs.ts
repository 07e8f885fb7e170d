/**
 * Long runs of combining marks, each in an order that `String.prototype.normalize` has to change.
 */

const points = Array.from({ length: 0x11_0000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
export const marks = points.map((code) => String.fromCodePoint(code)).filter((one) => /\p{M}/u.test(one))

/** Runs of so many marks. */
export const longRuns: readonly ((count: number) => string)[] = [
  (count) => '\u0301\u0316'.repeat(count / 2),
  (count) => `${'\u0301'.repeat(count / 2)}${'\u0316'.repeat(count / 2)}`,
  (count) => marks.join('').repeat(count / marks.length + 1),
  (count) => '\u0344\u0316'.repeat(count / 2),
  (count) => '\u0301\u0316\u0903'.repeat(count / 3),
]
