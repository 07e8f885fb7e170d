/**
 * How many entries a stretch of an index holds: walked where they are few, summed by a fence where
 * they are many.
 */
import type { SqlTools } from '../../sql/reader.ts'
import type { SqliteConnection } from '../connection.ts'
import { firstBound, lastBound, segmentsBetween } from './key-bound.ts'
import type { IndexRange } from './range-covering.ts'
import type { RankIndexes } from './rank-indexes.ts'
import { rankOf } from './rank-of.ts'

/**
 * Up to so many entries are counted one by one, which takes less than a millisecond and no fence.
 */
const walkedEntriesMax = 1024

const attemptsMax = 3

export type RangeSizes = {
  /**
   * Exact and at once; undefined for many entries while their fence is being made. Call it in a
   * present snapshot.
   */
  known(range: IndexRange): number | undefined
  /**
   * The same when the fence is there, with `tell` called in the snapshot of the count. Undefined
   * where others write so much that it is not finished.
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
   * Undefined when there are more than a walk may meet, as there are in the whole of an index that
   * is worth a fence.
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
    if (few === undefined) rankIndexes.of(index) // begins to make it
    return few
  }

  return {
    known,
    async get(range, tell) {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const told = present(() => tell(known(range)))
        if (told !== undefined) return told
        // unless a change that nobody can follow ends the making
        await rankIndexes.made(range.index)
      }
      return undefined
    },
  }
}
