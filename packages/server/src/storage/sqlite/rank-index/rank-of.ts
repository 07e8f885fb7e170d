/**
 * Computes the exact rank of a bound: the rank index knows whole blocks, and a scan of the SQLite
 * index counts the rest. All reads are of one snapshot.
 */
import { all, type Condition, equal } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/sort-order.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { SqliteConnection } from '../connection.ts'
import type { IndexCell } from './index-predicate.ts'
import { compareBounds, type KeyBound, lastBound, segmentsBetween } from './key-bound.ts'
import type { RankBlock } from './rank-blocks.ts'
import { everything, type FlagFilter, type RankIndex } from './rank-index.ts'
import type { RankedIndex } from './ranked-index.ts'

export type KeyRange = { readonly from: KeyBound; readonly to: KeyBound }
export type RankReader = { readonly reader: SqliteConnection; readonly tools: SqlTools; readonly index: RankedIndex }

/** The flag values of a filter, as conditions. */
export function flagConditions({ flags }: RankedIndex, { mask, bits }: FlagFilter): Condition[] {
  return flags.flatMap((flag, i) => (mask & (1 << i) ? [equal(flag, (bits & (1 << i)) !== 0)] : []))
}

/** Counts entry by entry. */
function countBetween({ reader, tools, index }: RankReader, { from, to }: KeyRange, filter: FlagFilter): number {
  const flags = flagConditions(index, filter)
  const ranges = segmentsBetween(index, from, to).map((segment) => all(segment, ...flags))
  if (ranges.length === 0) return 0
  return reader.first(tools.statements.entries(index, ranges))?.[0] as number
}

type TakenBlock = {
  readonly counts: number[]
  /** The bound behind it. */
  readonly next: KeyBound | undefined
}

/** Adds the counts of a segment. Returns its number of entries. */
function add(counts: number[], tally: readonly number[]): number {
  let taken = 0
  for (const [bits, count] of tally.entries()) {
    counts[bits] = (counts[bits] as number) + count
    taken += count
  }
  return taken
}

/**
 * The shortest bound between two neighbouring entries: a scan that begins there needs fewer ranges.
 */
export function boundBetween(left: readonly IndexCell[], right: readonly IndexCell[]): KeyBound {
  const differs = right.findIndex((cell, i) => compareSorted(left[i], cell) !== 0)
  return { cells: right.slice(0, differs + 1), after: false }
}

/**
 * Counts the next `entries` entries, and finds the bound behind them; undefined at the end of the
 * range.
 */
function takeBlock({ reader, tools, index }: RankReader, keyRange: KeyRange, entries: number): TakenBlock {
  const counts = new Array<number>(2 ** index.flags.length).fill(0)
  let missing = entries
  for (const segment of segmentsBetween(index, keyRange.from, keyRange.to)) {
    let taken = 0
    if (missing > 0) {
      taken = add(counts, reader.first(tools.statements.tally(index, segment, missing)) as number[])
      missing -= taken
    }
    if (missing > 0) continue
    const [last, next] = reader.all(tools.statements.keys(index, segment, Math.max(0, taken - 1))) as IndexCell[][]
    if (taken === 0 && last) return { counts, next: { cells: last, after: false } }
    if (next) return { counts, next: boundBetween(last as IndexCell[], next) }
  }
  return { counts, next: undefined }
}

/** The bound at which a block begins; behind the last one, the end of the index. */
export function beginningOf({ blocks }: RankIndex, block: number): KeyBound {
  return block < blocks.size() ? blocks.begin(block) : lastBound
}

/** Splits the block when writes have made it too large. Returns whether it did. */
function keepSmall(rankReader: RankReader, rankIndex: RankIndex, block: number): boolean {
  const entries = rankIndex.blocks.counts(block).reduce((sum, count) => sum + count, 0)
  if (entries <= 2 * rankIndex.blockEntries) return false
  const to = beginningOf(rankIndex, block + 1)
  const blocks: RankBlock[] = []
  let begin: KeyBound | undefined = beginningOf(rankIndex, block)
  while (begin) {
    const { counts, next }: TakenBlock = takeBlock(rankReader, { from: begin, to }, rankIndex.blockEntries)
    blocks.push({ begin, counts })
    begin = next
  }
  rankIndex.split(block, blocks)
  return true
}

/**
 * Splits a block at this bound, unless so many splits left most blocks with few entries. Returns
 * the block with the bound.
 */
function cutAt(
  rankReader: RankReader,
  rankIndex: RankIndex,
  { place, block }: { place: KeyBound; block: number },
): number {
  const { blocks, blockEntries } = rankIndex
  const begin = blocks.begin(block)
  const isFull = rankIndex.before(blocks.size(), everything) < (blocks.size() * blockEntries) / 4
  if (isFull || compareBounds(begin, place) === 0) return block
  const counts = blocks.counts(block)
  const before = takeBlock(rankReader, { from: begin, to: place }, Number.MAX_SAFE_INTEGER).counts
  const behind = counts.map((count, bits) => count - (before[bits] as number))
  rankIndex.split(block, [
    { begin, counts: before },
    { begin: place, counts: behind },
  ])
  return block + 1
}

type LocatedBound = { readonly place: KeyBound; readonly block: number; readonly filter: FlagFilter }

/** The number of entries before a bound in this block. */
function rankIn(rankReader: RankReader, rankIndex: RankIndex, { place, block, filter }: LocatedBound): number {
  const begin = beginningOf(rankIndex, block)
  const isBeginning = compareBounds(begin, place) === 0
  return (
    rankIndex.before(block, filter) + (isBeginning ? 0 : countBetween(rankReader, { from: begin, to: place }, filter))
  )
}

export type RankQuery = {
  readonly keyRange: KeyRange
  readonly filter: FlagFilter
  /**
   * How many leading fields have one value each: the bounds before and behind them are needed
   * repeatedly.
   */
  readonly fixed: number
}

/** The block with this bound; behind the last one for the end of the index. */
function locate(
  rankReader: RankReader,
  rankIndex: RankIndex,
  { place, fixed }: { place: KeyBound; fixed: number },
): number {
  if (compareBounds(place, lastBound) === 0) return rankIndex.blocks.size()
  let block = rankIndex.at(place)
  if (keepSmall(rankReader, rankIndex, block)) block = rankIndex.at(place)
  return place.cells.length <= fixed ? cutAt(rankReader, rankIndex, { place, block }) : block
}

/** The exact number of entries before a range and in it. */
export function rankOf(
  rankReader: RankReader,
  rankIndex: RankIndex,
  { keyRange, filter, fixed }: RankQuery,
): { before: number; inside: number } {
  const { from, to } = keyRange
  if (compareBounds(from, to) > 0) return { before: 0, inside: 0 }
  const first = locate(rankReader, rankIndex, { place: from, fixed })
  // it changes no block before that of `from`
  const last = locate(rankReader, rankIndex, { place: to, fixed })
  const before = rankIn(rankReader, rankIndex, { place: from, block: first, filter })
  if (last === first) return { before, inside: countBetween(rankReader, keyRange, filter) }
  return { before, inside: rankIn(rankReader, rankIndex, { place: to, block: last, filter }) - before }
}
