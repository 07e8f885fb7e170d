/**
 * A Fenwick tree: sums over the first numbers of a list whose numbers change. An update and a query
 * take logarithmic time (P. M. Fenwick, "A new data structure for cumulative frequency tables",
 * 1994).
 */
export type PrefixSums = {
  /** Adds to the number at this index. */
  add(place: number, by: number): void
  /** The sum of the first `count` numbers. */
  before(count: number): number
  /** The last index before which the sum is at most this; 0 for an empty list. */
  placeOf(sum: number): number
}

const lowestBit = (n: number) => n & -n

/** `numbers`: none of them may become negative. */
export function makePrefixSums(numbers: readonly number[]): PrefixSums {
  const { length } = numbers
  /** `sums[i]`: the sum of the numbers before index i, as many as the lowest bit of i. */
  const sums = [0, ...numbers]
  for (let i = 1; i <= length; i += 1) {
    const above = i + lowestBit(i)
    if (above <= length) sums[above] = (sums[above] as number) + (sums[i] as number)
  }
  const longestStep = length === 0 ? 0 : 2 ** (31 - Math.clz32(length))

  return {
    add(place, by) {
      for (let i = place + 1; i <= length; i += lowestBit(i)) sums[i] = (sums[i] as number) + by
    },
    before(count) {
      let sum = 0
      for (let i = count; i > 0; i -= lowestBit(i)) sum += sums[i] as number
      return sum
    },
    placeOf(sum) {
      let [place, left] = [0, sum]
      for (let step = longestStep; step > 0; step >>= 1) {
        const next = place + step
        if (next > length || (sums[next] as number) > left) continue
        place = next
        left -= sums[next] as number
      }
      return Math.max(0, Math.min(place, length - 1))
    },
  }
}
