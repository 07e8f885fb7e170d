/**
 * Parses numbers of query parameters and CSV cells that are compared with stored whole numbers. The
 * result is a whole number, or a number between the same two whole numbers as the written one. So
 * comparisons are exact, although a double would round some texts.
 */
import { parseWhole } from './parse-whole.ts'

/** Beyond every stored whole number, and still exact in every database. */
const beyond = 2 ** 54

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
  const bound = parseWhole(text, shift)
  return bound && wholeWithin(Number(bound.whole) + (bound.isBetween ? 0.5 : 0))
}
