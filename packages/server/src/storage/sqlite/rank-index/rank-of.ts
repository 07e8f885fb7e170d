/**
 * Reads at the ends of a fence's blocks: what the fence itself does not know, it looks up in the
 * index. All reads are of one snapshot.
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

/** The values that a filter asks of flags, as conditions. */
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
  /** The place behind it. */
  readonly next: KeyBound | undefined
}

/** Adds the tally of a segment. Returns how many entries it has. */
function add(counts: number[], tally: readonly number[]): number {
  let taken = 0
  for (const [bits, count] of tally.entries()) {
    counts[bits] = (counts[bits] as number) + count
    taken += count
  }
  return taken
}

/**
 * The shortest place between two neighbours of an index: a walk that begins there needs fewer
 * ranges.
 */
export function boundBetween(left: readonly IndexCell[], right: readonly IndexCell[]): KeyBound {
  const differs = right.findIndex((cell, i) => compareSorted(left[i], cell) !== 0)
  return { cells: right.slice(0, differs + 1), after: false }
}

/**
 * Counts the next `entries` ones, and finds the place behind them; undefined where the span ends.
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

/** The place where a block begins; behind the last one, the end of the index. */
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
 * Lets a block begin at this place, which lies in it, unless so many do that most blocks have few
 * entries. Returns the block with the place.
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

/** The number of entries before a place in this block. */
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
   * How many leading fields have one value each: the places before and behind them are asked for
   * again and again.
   */
  readonly fixed: number
}

/** The block in which a place lies; behind the last one for the end of the index. */
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

/** How many entries stand before a span and in it, exactly. */
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
