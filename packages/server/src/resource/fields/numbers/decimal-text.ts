/**
 * Decimals as text and back, digit by digit. A stored decimal is a whole number, and `scale` says
 * how many of its digits stand behind the point.
 */
import { longMax, parseWhole } from './parse-whole.ts'

/** `printDecimal(-5n, 2)` → `-0.05` */
export function printDecimal(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** More digits than any whole part has. */
const wholeDigitsMax = 19

export function placesMistake(scale: number): string {
  if (scale === 0) return 'must have no decimals'
  return `must have at most ${scale} ${scale === 1 ? 'decimal' : 'decimals'}`
}

/** A text of digits with a point, or a number: `readDecimal('12.5', 2)` → 1250n, or a mistake. */
export function readDecimal(sent: unknown, scale: number): bigint | { readonly mistake: string } {
  if (typeof sent === 'number' && Number.isFinite(sent)) {
    const bound = parseWhole(String(sent), scale)
    return bound && !bound.isBetween ? bound.whole : { mistake: placesMistake(scale) }
  }
  const found = typeof sent === 'string' ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(sent) : undefined
  if (!found) return { mistake: `must be a decimal number, as text such as "${printDecimal(1250n, scale)}"` }
  const [, sign, whole = '', decimals = ''] = found
  if (decimals.length > scale) return { mistake: placesMistake(scale) }
  const isZero = /^0+$/.test(`${whole}${decimals}`)
  if (/^0\d/.test(whole) || (sign !== '' && isZero)) return { mistake: 'must have no zeros in front, and no -0' }
  // A text of more digits is beyond every limit, and is not worth the conversion.
  const size = whole.length > wholeDigitsMax ? longMax : BigInt(`${whole}${decimals.padEnd(scale, '0')}`)
  return sign === '-' ? -size : size
}
