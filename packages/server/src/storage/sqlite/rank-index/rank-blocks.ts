/**
 * The blocks of a fence in flat arrays: a database of a million rows has some 50,000 of them, and
 * objects of their own would take five times the memory.
 */

import type { IndexCell } from './index-predicate.ts'
import { compareCells, type KeyBound } from './key-bound.ts'

export type RankBlock = {
  /** The first block begins before all entries. */
  readonly begin: KeyBound
  /** Entries by the bits of their flags. */
  readonly counts: readonly number[]
}

export type RankBlocks = {
  size(): number
  begin(block: number): KeyBound
  counts(block: number): readonly number[]
  /** The entries of a block whose flags, as bits, equal `bits` where `mask` is set. */
  count(block: number, mask: number, bits: number): number
  add(block: number, flags: number, by: number): void
  /** Negative when the block begins before the place. */
  compare(block: number, place: KeyBound): number
  /** Puts new blocks in the place of so many. */
  replace(block: number, removed: number, into: readonly RankBlock[]): void
}

/** `width`: how many fields the index has; `patterns`: how many patterns of bits its flags. */
export function makeRankBlocks(width: number, patterns: number): RankBlocks {
  /** `width` cells for each block; a shorter place fills the rest with null. */
  const cells: IndexCell[] = []
  const lengths: number[] = []
  const afters: boolean[] = []
  const counts: number[] = []
  /** Neighbours often begin with the same text, of which each would hold a copy. */
  let last: IndexCell[] = []

  function sharedCells({ cells }: KeyBound): IndexCell[] {
    const shared = cells.map((cell, i) => (cell === last[i] ? (last[i] as IndexCell) : cell))
    last = shared
    return [...shared, ...new Array<null>(width - shared.length).fill(null)]
  }

  return {
    size: () => lengths.length,
    begin(block) {
      const from = block * width
      return { cells: cells.slice(from, from + (lengths[block] as number)), after: afters[block] as boolean }
    },
    counts: (block) => counts.slice(block * patterns, (block + 1) * patterns),
    count(block, mask, bits) {
      const from = block * patterns
      let sum = 0
      for (let pattern = 0; pattern < patterns; pattern += 1)
        if ((pattern & mask) === bits) sum += counts[from + pattern] as number
      return sum
    },
    add(block, flags, by) {
      const at = block * patterns + flags
      counts[at] = (counts[at] as number) + by
    },
    compare(block, place) {
      const [length, after] = [lengths[block] as number, afters[block] as boolean]
      return compareCells({ cells, from: block * width, length, after }, place)
    },
    replace(block, removed, into) {
      cells.splice(block * width, removed * width, ...into.flatMap(({ begin }) => sharedCells(begin)))
      lengths.splice(block, removed, ...into.map(({ begin }) => begin.cells.length))
      afters.splice(block, removed, ...into.map(({ begin }) => begin.after))
      counts.splice(block * patterns, removed * patterns, ...into.flatMap((one) => one.counts))
    },
  }
}
