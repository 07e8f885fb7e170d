/**
 * A rank index over one SQLite index, in memory. It has the key of every few hundredth entry, and
 * the number of entries after each, by their flags. The rank of a key is a sum over whole blocks
 * and a scan inside one. It contains no SQL, and each write updates it.
 */

import type { IndexCell } from './index-predicate.ts'
import type { KeyBound } from './key-bound.ts'
import { makePrefixSums, type PrefixSums } from './prefix-sums.ts'
import { makeRankBlocks, type RankBlock, type RankBlocks } from './rank-blocks.ts'
import type { RankedIndex } from './ranked-index.ts'

/**
 * Small blocks make short scans, and many blocks take memory. Each index of a table with a million
 * rows gets about 4,000.
 */
const blocksMeant = 4096
const blockEntriesMin = 64
const blockEntriesMax = 1024

/** The number of entries in a new block of an index of this size. */
export function blockEntriesFor(entries: number): number {
  return Math.min(blockEntriesMax, Math.max(blockEntriesMin, Math.ceil(entries / blocksMeant)))
}

/**
 * Which entries count: those whose flags, as bits, equal `bits` where `mask` is set. All of them
 * when the mask is 0.
 */
export type FlagFilter = { readonly mask: number; readonly bits: number }

export const everything: FlagFilter = { mask: 0, bits: 0 }

export type IndexEntry = { readonly key: readonly IndexCell[]; readonly flags: number }

export type RankIndex = {
  readonly blocks: Pick<RankBlocks, 'size' | 'begin' | 'counts'>
  /** The size of a new block. A block that has grown to twice this size is to be split. */
  readonly blockEntries: number
  /** The last block that begins at or before this bound. */
  at(place: KeyBound): number
  /** The number of entries in the blocks before this one. */
  before(block: number, filter: FlagFilter): number
  /** The last block with at most this many entries before it. */
  blockAt(rank: number, filter: FlagFilter): number
  move(entry: IndexEntry, by: 1 | -1): void
  /** Adds a block behind all others. */
  append(block: RankBlock): void
  /** Replaces one block with new ones. */
  split(block: number, into: readonly RankBlock[]): void
}

/** The first index for which `isBehind` is true, as it is for all later ones. */
function firstIndex(length: number, isBehind: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBehind(middle)) high = middle
    else low = middle + 1
  }
  return low
}

export function makeRankIndex({ fields, flags }: RankedIndex, blockEntries: number): RankIndex {
  const blocks = makeRankBlocks(fields.length, 2 ** flags.length)
  /** One for each filter in use; built again when the blocks change. */
  const known = new Map<number, { readonly filter: FlagFilter; readonly sums: PrefixSums }>()

  function sumsOf(filter: FlagFilter): PrefixSums {
    const { mask, bits } = filter
    const key = mask * 64 + bits
    const found = known.get(key)
    if (found) return found.sums
    const sums = makePrefixSums(Array.from({ length: blocks.size() }, (_, block) => blocks.count(block, mask, bits)))
    known.set(key, { filter, sums })
    return sums
  }
  function replace(block: number, removed: number, into: readonly RankBlock[]): void {
    blocks.replace(block, removed, into)
    known.clear()
  }
  const at = (place: KeyBound) => firstIndex(blocks.size(), (block) => blocks.compare(block, place) > 0) - 1

  return {
    blocks,
    blockEntries,
    at,
    before: (block, filter) => sumsOf(filter).before(block),
    blockAt: (rank, filter) => sumsOf(filter).placeOf(rank),
    move({ key, flags }, by) {
      const block = at({ cells: key, after: false })
      blocks.add(block, flags, by)
      for (const { filter, sums } of known.values()) if ((flags & filter.mask) === filter.bits) sums.add(block, by)
    },
    append: (block) => replace(blocks.size(), 0, [block]),
    split: (block, into) => replace(block, 1, into),
  }
}
