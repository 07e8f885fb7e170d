/**
 * Keys of a manual order: texts of hex digits, compared by code point, with a free key between any
 * two that are not neighbours. A key is a fraction of at most 32 digits without zeros at its end:
 * `'8'` is the middle. The same calls give the same keys.
 */
const digits = 32
const bitsOf = (count: number) => BigInt(4 * count)
const top = 1n << bitsOf(digits)
/** New keys at an end are this far apart: ten digits, and 88 bits between any two. */
const unit = 1n << bitsOf(digits - 10)
/** After keys were spread, this many bits stay free between two, and more where many are spread. */
const freeBits = 16

const keyPattern = /^[0-9a-f]{0,31}[1-9a-f]$/

export const orderKeyLengthMax: number = digits

export function isOrderKey(value: unknown): value is string {
  return typeof value === 'string' && keyPattern.test(value)
}

const fractionOf = (key: string): bigint => BigInt(`0x${key.padEnd(digits, '0')}`)
const keyOf = (value: bigint): string => value.toString(16).padStart(digits, '0').replace(/0+$/, '')

/** The middle of the shortest keys between the two; undefined where there is none. */
function middleOf(low: bigint, high: bigint): bigint | undefined {
  for (let count = 1; count <= digits; count += 1) {
    const shift = bitsOf(digits - count)
    const [first, last] = [(low >> shift) + 1n, (high - 1n) >> shift]
    if (first <= last) return ((first + last) / 2n) << shift
  }
  return undefined
}

/**
 * A key between two others; null is an end of the order. At an end it is short, also after many
 * calls. Undefined where no key is free.
 */
export function keyBetween(low: string | null, high: string | null): string | undefined {
  if (low === null && high === null) return '8'
  const [from, to] = [low === null ? 0n : fractionOf(low), high === null ? top : fractionOf(high)]
  const next = high === null ? (from / unit + 1n) * unit : low === null ? ((to - 1n) / unit) * unit : 0n
  const value = next > from && next < to ? next : middleOf(from, to)
  return value === undefined ? undefined : keyOf(value)
}

/**
 * As many keys between two others, evenly spread. Undefined where they would have little room:
 * `isWhole` says that no more keys can be moved, so that any room will do.
 */
export function spreadKeys(
  low: string | null,
  high: string | null,
  { count, isWhole }: { readonly count: number; readonly isWhole: boolean },
): readonly string[] | undefined {
  const [from, to] = [low === null ? 0n : fractionOf(low), high === null ? top : fractionOf(high)]
  const step = (to - from) / BigInt(count + 1)
  // A bit more with each doubling: so many keys must come before the same ones are moved again.
  const least = 1n << BigInt(isWhole ? 2 : freeBits + 2 * Math.ceil(Math.log2(count)))
  if (step < least) return undefined
  // Of a length that two neighbours differ in, and no longer.
  const shift = bitsOf(Math.floor((step.toString(2).length - 2) / 4))
  return Array.from({ length: count }, (_, i) => keyOf(((from + step * BigInt(i + 1)) >> shift) << shift))
}
