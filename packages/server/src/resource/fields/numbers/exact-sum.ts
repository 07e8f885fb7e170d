/** The sums that a counted field holds: exact in its column and in JSON. */
import type { Sums } from './number-facts.ts'
import { longMax, longMin } from './parse-whole.ts'

/** Whether a column and JSON have the sum exactly. */
export function isExactSum({ sumMax }: Sums, sum: bigint): boolean {
  return sumMax === undefined ? sum >= longMin && sum <= longMax : sum >= -sumMax && sum <= sumMax
}

/** The stored value of a sum that is exact. */
export function storedSum({ isLong }: Sums, sum: bigint): number | bigint {
  return isLong ? sum : Number(sum)
}
