/**
 * Whole numbers of any size: texts to exact values, digit by digit, and averages. The types that
 * store whole numbers share it.
 */
import type { WholeBound } from './number-facts.ts'

export const longMin = -(2n ** 63n)
export const longMax = 2n ** 63n - 1n

/** More digits than any stored value has. */
const digitsMax = 40

/** Sign, digits, decimals, exponent. */
const pattern = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/

/**
 * Text → the number × 10^`shift`: `parseWhole('19.991', 2)` is between 1999 and 2000. Undefined
 * where the text is no number, or one that no double holds.
 */
export function parseWhole(text: string, shift: number): WholeBound | undefined {
  const found = pattern.exec(text)
  if (!found || !Number.isFinite(Number(text))) return undefined
  const [, sign, whole = '', decimals = '', exponent = '0'] = found
  const digits = `${whole}${decimals}`.replace(/^0+/, '')
  if (digits === '') return { whole: 0n, isBetween: false }
  /** How many of the digits stand before the point. */
  const before = Math.min(digits.length - decimals.length + Number(exponent) + shift, digitsMax)
  const kept = Math.max(0, before)
  const size = BigInt(digits.slice(0, kept).padEnd(kept, '0'))
  const isBetween = !/^0*$/.test(digits.slice(kept))
  if (sign !== '-') return { whole: size, isBetween }
  return { whole: isBetween ? -size - 1n : -size, isBetween }
}

/** A half is rounded away from zero: `averageWhole(-5n, 2)` → −3n. */
export function averageWhole(sum: bigint, values: number): bigint {
  const [size, count] = [sum < 0n ? -sum : sum, BigInt(values)]
  const rounded = (2n * size + count) / (2n * count)
  return sum < 0n ? -rounded : rounded
}
