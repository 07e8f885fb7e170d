/**
 * Parses numbers of query parameters and CSV cells digit by digit, because a double would round
 * some. The result is a whole number, or a number between the same two whole numbers as the written
 * one. So comparisons with stored whole numbers are exact.
 */

/** Beyond every stored whole number, and still exact in every database. */
const beyond = 2 ** 54
const beyondDigits = 17

/** Sign, digits, decimals, exponent. */
const pattern = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/

/**
 * A whole number, which may be larger than a double holds: cut to one that is beyond every stored
 * one.
 */
export function wholeWithin(value: number): number {
  return Math.max(-beyond, Math.min(beyond, value))
}

/**
 * Text → the number × 10^`shift`; undefined where the text is no number, or one that no double
 * holds. `parseDecimal('19.99', 2)` → 1999; `parseDecimal('19.991', 2)` → 1999.5;
 * `parseDecimal('1e3', 0)` → 1000; `parseDecimal('1e300', 0)` → 2⁵⁴
 */
export function parseDecimal(text: string, shift: number): number | undefined {
  const found = pattern.exec(text)
  if (!found || !Number.isFinite(Number(text))) return undefined
  const [, sign, whole = '', decimals = '', exponent = '0'] = found
  const digits = `${whole}${decimals}`.replace(/^0+/, '')
  if (digits === '') return 0
  /** How many of the digits stand before the point. */
  const before = digits.length - decimals.length + Number(exponent) + shift
  const size = sizeOf(digits, before)
  return sign === '-' && size !== 0 ? -size : size
}

function sizeOf(digits: string, before: number): number {
  if (before > beyondDigits) return beyond
  const kept = Math.max(0, before)
  const size = Number(digits.slice(0, kept).padEnd(kept, '0'))
  const isWhole = /^0*$/.test(digits.slice(kept))
  return wholeWithin(isWhole ? size : size + 0.5)
}
