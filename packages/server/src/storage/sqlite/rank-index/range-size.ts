/**
 * Counts the entries in a range of an index: a small range by a scan, a large one by the sums of a
 * rank index.
 */
import type { SqlTools } from '../../sql/reader.ts'
import type { SqliteConnection } from '../connection.ts'
import { firstBound, lastBound, segmentsBetween } from './key-bound.ts'
import type { IndexRange } from './range-covering.ts'
import type { RankIndexes } from './rank-indexes.ts'
import { rankOf } from './rank-of.ts'

/**
 * Up to this many entries are counted one by one, which takes less than a millisecond and needs no
 * rank index.
 */
const walkedEntriesMax = 1024

const attemptsMax = 3

export type RangeSizes = {
  /**
   * Exact and at once; undefined for a large range while its rank index is being built. Call it in
   * a current snapshot.
   */
  known(range: IndexRange): number | undefined
  /**
   * The same when the rank index is complete, with `tell` called in the snapshot of the count.
   * Undefined where constant writes keep it from completing.
   */
  get<T>(range: IndexRange, tell: (size: number | undefined) => T | undefined): Promise<T | undefined>
}

type RangeSizeDeps = {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
  readonly rankIndexes: RankIndexes
  readonly present: <T>(work: () => T) => T
}

export function makeRangeSizes({ reader, tools, rankIndexes, present }: RangeSizeDeps): RangeSizes {
  /**
   * Undefined when there are more than a scan may read, as in the whole of an index that needs a
   * rank index.
   */
  function walked({ index, keyRange, filter }: IndexRange): number | undefined {
    if (keyRange.from === firstBound && keyRange.to === lastBound) return undefined
    let [sum, left] = [0, walkedEntriesMax + 1]
    for (const segment of segmentsBetween(index, keyRange.from, keyRange.to)) {
      const counts = reader.first(tools.statements.tally(index, segment, left)) as number[]
      for (const [bits, count] of counts.entries()) {
        left -= count
        if ((bits & filter.mask) === filter.bits) sum += count
      }
      if (left <= 0) return undefined
    }
    return sum
  }

  function known(range: IndexRange): number | undefined {
    const { index } = range
    if (rankIndexes.has(index)) {
      const rankIndex = rankIndexes.of(index)
      if (rankIndex) return rankOf({ reader, tools, index }, rankIndex, range).inside
    }
    const few = walked(range)
    if (few === undefined) rankIndexes.of(index) // starts its build
    return few
  }

  return {
    known,
    async get(range, tell) {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const told = present(() => tell(known(range)))
        if (told !== undefined) return told
        // unless a change without images ends the build
        await rankIndexes.made(range.index)
      }
      return undefined
    },
  }
}
