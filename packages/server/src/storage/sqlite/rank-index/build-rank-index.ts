/**
 * A fence in the making, slice by slice. A slice is counted in a snapshot of its own, outside of
 * the main thread where there are threads: its `position` says which changes the snapshot holds,
 * and the later ones are added when the slice is put behind those before it.
 */
import { all } from '../../../resource/condition.ts'
import type { SqlTools } from '../../sql/reader.ts'
import { type BlockScan, blockFunction } from './block-scan.ts'
import type { IndexCell } from './index-predicate.ts'
import { compareBounds, firstBound, type KeyBound, lastBound, segmentsBetween } from './key-bound.ts'
import { type IndexEntry, makeRankIndex, type RankIndex } from './rank-index.ts'
import { boundBetween } from './rank-of.ts'
import type { RankedIndex } from './ranked-index.ts'
import { makeRowLag, type RowLag } from './row-lag.ts'
import type { ScanBlocks, ScanSlice } from './scan-threads.ts'

/** Entries of a slice: some 20 milliseconds. */
const sliceEntries = 50_000

/** An entry that came or left. */
export type EntryChange = { readonly sequence: number; readonly entry: IndexEntry; readonly by: 1 | -1 }

export type RankIndexBuild = {
  readonly rankIndex: RankIndex
  readonly lag: RowLag
  /** Whether somebody waits for it. */
  isWanted: boolean
  /** Entries before this place are counted. Undefined when all are. */
  reached: KeyBound | undefined
  /**
   * What has moved behind that place: for the next slices, where their snapshots were too early for
   * it.
   */
  later: EntryChange[]
}

export type RankIndexBuildDeps = {
  readonly tools: SqlTools
  readonly scan: ScanBlocks
  /** The last change that the current snapshot has seen. */
  readonly lastSeen: () => number
  /** Runs the work in one snapshot, with every change that the snapshot holds delivered before. */
  readonly present: <T>(work: () => T) => T
}

export function beginRankIndexBuild(index: RankedIndex, blockEntries: number): RankIndexBuild {
  return {
    rankIndex: makeRankIndex(index, blockEntries),
    lag: makeRowLag(index),
    isWanted: false,
    reached: firstBound,
    later: [],
  }
}

/** Call it with what moves while the fence is made, and afterwards. */
export function applyEntryChange({ rankIndex, reached, later }: RankIndexBuild, moved: EntryChange): void {
  const isCounted = !reached || compareBounds({ cells: moved.entry.key, after: false }, reached) < 0
  if (isCounted) rankIndex.move(moved.entry, moved.by)
  else later.push(moved)
}

/** The next slice, of the first range of the index behind what is counted. */
function scanFrom(
  { statements }: SqlTools,
  index: RankedIndex,
  { rankIndex, reached = lastBound }: RankIndexBuild,
): BlockScan {
  const [range = all()] = segmentsBetween(index, reached, lastBound)
  return {
    walk: statements.through(index, range, blockFunction),
    last: statements.last(index, range),
    blockEntries: rankIndex.blockEntries,
    patterns: 2 ** index.flags.length,
    blocksMax: Math.ceil(sliceEntries / rankIndex.blockEntries),
  }
}

/**
 * Behind a range of entries that begin alike lies the range of those that begin alike in one field
 * less.
 */
function placeBehind({ blocks, isEnd }: ScanSlice, { cells }: KeyBound): KeyBound | undefined {
  if (!isEnd) return { cells: blocks.at(-1)?.last ?? [], after: true }
  return cells.length > 1 ? { cells: cells.slice(0, -1), after: true } : undefined
}

/** Puts the blocks of a slice behind those before it, with what its snapshot was too early for. */
function adopt({ flags }: RankedIndex, making: RankIndexBuild, slice: ScanSlice): void {
  const { rankIndex, lag, reached = lastBound, later } = making
  let before: readonly IndexCell[] | undefined
  for (const { first, last, counts, rows } of slice.blocks) {
    rankIndex.append({ begin: before ? boundBetween(before, first) : reached, counts })
    lag.addBlock([first[0] ?? null, last[0] ?? null], rows)
    before = last
  }
  if (rankIndex.blocks.size() === 0)
    rankIndex.append({ begin: reached, counts: new Array<number>(2 ** flags.length).fill(0) })
  making.reached = placeBehind(slice, reached)
  making.later = []
  for (const moved of later) if (moved.sequence > slice.position) applyEntryChange(making, moved)
}

/**
 * Counts the next slice of a fence that has not reached its end. What it returns is to be called,
 * in later turns too, until it is true.
 */
export async function nextSlice(
  { tools, scan, lastSeen, present }: RankIndexBuildDeps,
  index: RankedIndex,
  making: RankIndexBuild,
): Promise<() => boolean> {
  const slice = await scan(scanFrom(tools, index, making), making)
  return () =>
    present(() => {
      // What the slice has seen must have been delivered before: otherwise it would be added once
      // more.
      if (lastSeen() < slice.position) return false
      adopt(index, making, slice)
      return true
    })
}
