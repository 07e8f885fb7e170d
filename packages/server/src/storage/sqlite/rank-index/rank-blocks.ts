/**
 * The blocks of a rank index, in flat arrays. A database of a million rows has some 50,000 blocks,
 * and one object for each would take five times the memory.
 */

import type { IndexCell } from './index-predicate.ts'
import { compareCells, type KeyBound } from './key-bound.ts'

export type RankBlock = {
  /** The first block begins before all entries. */
  readonly begin: KeyBound
  /** The number of entries with each pattern of flags. */
  readonly counts: readonly number[]
}

export type RankBlocks = {
  size(): number
  begin(block: number): KeyBound
  counts(block: number): readonly number[]
  /** The entries of a block whose flags, as bits, equal `bits` where `mask` is set. */
  count(block: number, mask: number, bits: number): number
  add(block: number, flags: number, by: number): void
  /** Negative when the block begins before the bound. */
  compare(block: number, place: KeyBound): number
  /** Replaces blocks with new ones. */
  replace(block: number, removed: number, into: readonly RankBlock[]): void
}

/** `width`: the number of fields in the index; `patterns`: the number of patterns of its flags. */
export function makeRankBlocks(width: number, patterns: number): RankBlocks {
  /** `width` cells for each block; a shorter bound fills the rest with null. */
  const cells: IndexCell[] = []
  const lengths: number[] = []
  const afters: boolean[] = []
  const counts: number[] = []
  /** Neighbouring blocks often begin with the same text: they share one string. */
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
