/**
 * Pseudo-random numbers that are the same in every run: a seed for each purpose, so that no stream
 * depends on another.
 */

export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number
  pick<T>(choices: readonly T[]): T
}

/** Mulberry32. */
export function makeRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: (choices) => choices[below(choices.length)] as (typeof choices)[number] }
}
