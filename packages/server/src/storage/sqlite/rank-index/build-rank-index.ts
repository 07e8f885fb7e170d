/**
 * Builds a rank index slice by slice. Each slice is counted in its own snapshot, if possible in
 * another thread. Its `position` shows which changes the snapshot includes. Later changes are added
 * when the slice joins those before it.
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

/** The entries of a slice, which take some 20 milliseconds. */
const sliceEntries = 50_000

/** An index entry that a write added or removed. */
export type EntryChange = { readonly sequence: number; readonly entry: IndexEntry; readonly by: 1 | -1 }

export type RankIndexBuild = {
  readonly rankIndex: RankIndex
  readonly lag: RowLag
  /** Whether a request waits for it. */
  isWanted: boolean
  /** Entries before this bound are counted. Undefined when all are. */
  reached: KeyBound | undefined
  /** Changes behind that bound, for the next slices whose snapshots do not include them. */
  later: EntryChange[]
}

export type RankIndexBuildDeps = {
  readonly tools: SqlTools
  readonly scan: ScanBlocks
  /** The last change that the current snapshot includes. */
  readonly lastSeen: () => number
  /** Runs the work in one snapshot, after all changes of that snapshot were delivered. */
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

/** Call it for each changed entry, during the build and afterwards. */
export function applyEntryChange({ rankIndex, reached, later }: RankIndexBuild, moved: EntryChange): void {
  const isCounted = !reached || compareBounds({ cells: moved.entry.key, after: false }, reached) < 0
  if (isCounted) rankIndex.move(moved.entry, moved.by)
  else later.push(moved)
}

/** The next slice, of the first range of the index behind the counted part. */
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
 * Behind a range of entries with a common prefix lies the range with the prefix that is one field
 * shorter.
 */
function placeBehind({ blocks, isEnd }: ScanSlice, { cells }: KeyBound): KeyBound | undefined {
  if (!isEnd) return { cells: blocks.at(-1)?.last ?? [], after: true }
  return cells.length > 1 ? { cells: cells.slice(0, -1), after: true } : undefined
}

/** Appends the blocks of a slice, with the changes that its snapshot does not include. */
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
 * Counts the next slice of an unfinished rank index. Call the returned function, in later turns
 * too, until it returns true.
 */
export async function nextSlice(
  { tools, scan, lastSeen, present }: RankIndexBuildDeps,
  index: RankedIndex,
  making: RankIndexBuild,
): Promise<() => boolean> {
  const slice = await scan(scanFrom(tools, index, making), making)
  return () =>
    present(() => {
      // All changes that the slice includes must be delivered first: otherwise they would count
      // twice.
      if (lastSeen() < slice.position) return false
      adopt(index, making, slice)
      return true
    })
}
