/**
 * A fence over one index: the place of every few hundredth entry, and how many entries follow each, by their flags. The number of entries
 * before any place is a sum over whole blocks and a walk inside one. It knows no SQL and moves with every write.
 */
import { type Block, type Blocks, makeBlocks } from './blocks.ts'
import type { Bound } from './bound.ts'
import type { FencedIndex } from './fenced-index.ts'
import type { Cell } from './narrowing.ts'

/** Small blocks make short walks, and many of them take memory: a table of a million rows gets about 4,000 an index. */
const blocksMeant = 4096
const blockEntriesMin = 64
const blockEntriesMax = 1024

/** How many entries a new block of an index with so many entries has. */
export function blockEntriesFor(entries: number): number {
  return Math.min(blockEntriesMax, Math.max(blockEntriesMin, Math.ceil(entries / blocksMeant)))
}

/** Which entries count: those whose flags, as bits, equal `bits` where `mask` is set. All of them when the mask is 0. */
export type FlagFilter = { readonly mask: number; readonly bits: number }

export const everything: FlagFilter = { mask: 0, bits: 0 }

export type Entry = { readonly key: readonly Cell[]; readonly flags: number }

export type Fence = {
  readonly blocks: Pick<Blocks, 'size' | 'begin' | 'counts'>
  /** Entries of a new block. A block that has grown to twice as many is to be split. */
  readonly blockEntries: number
  /** The last block that begins at this place or before it. */
  at(place: Bound): number
  /** The entries in the blocks before this one. */
  before(block: number, filter: FlagFilter): number
  /** The last block before which no more entries stand than that. */
  blockAt(rank: number, filter: FlagFilter): number
  move(entry: Entry, by: 1 | -1): void
  /** Adds a block behind all others. */
  append(block: Block): void
  /** Puts new blocks in the place of one. */
  split(block: number, into: readonly Block[]): void
}

/** `sums[i]`: the entries before block i; those from `cleanTo` on are out of date. */
type Sums = { readonly filter: FlagFilter; readonly sums: number[]; cleanTo: number }

function refresh({ filter, sums, cleanTo }: Sums, blocks: Blocks): void {
  const { mask, bits } = filter
  sums[0] = 0
  for (let i = cleanTo; i < blocks.size(); i += 1) sums[i + 1] = (sums[i] as number) + blocks.count(i, mask, bits)
  sums.length = blocks.size() + 1
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

export function makeFence({ fields, flags }: FencedIndex, blockEntries: number): Fence {
  const blocks = makeBlocks(fields.length, 2 ** flags.length)
  const known = new Map<number, Sums>()

  function sumsOf(filter: FlagFilter): readonly number[] {
    const key = filter.mask * 64 + filter.bits
    let found = known.get(key)
    if (!found) {
      found = { filter, sums: [0], cleanTo: 0 }
      known.set(key, found)
    }
    if (found.cleanTo < blocks.size()) {
      refresh(found, blocks)
      found.cleanTo = blocks.size()
    }
    return found.sums
  }
  function changedFrom(block: number): void {
    for (const sums of known.values()) sums.cleanTo = Math.min(sums.cleanTo, block)
  }
  const at = (place: Bound) => firstIndex(blocks.size(), (block) => blocks.compare(block, place) > 0) - 1

  return {
    blocks,
    blockEntries,
    at,
    before: (block, filter) => sumsOf(filter)[block] as number,
    blockAt(rank, filter) {
      const sums = sumsOf(filter)
      return Math.max(0, firstIndex(blocks.size(), (block) => (sums[block] as number) > rank) - 1)
    },
    move({ key, flags }, by) {
      const block = at({ cells: key, after: false })
      blocks.add(block, flags, by)
      changedFrom(block)
    },
    append: (block) => blocks.replace(blocks.size(), 0, [block]),
    split(block, into) {
      blocks.replace(block, 1, into)
      changedFrom(block)
    },
  }
}
