/** How many entries a stretch of an index holds: walked where they are few, summed by a fence where they are many. */
import type { Tools } from '../../sql/reader.ts'
import type { Connection } from '../connection.ts'
import { end, segmentsBetween, start } from './bound.ts'
import type { Stretch } from './covering.ts'
import type { Fences } from './fences.ts'
import { measure } from './rank.ts'

/** Up to so many entries are counted one by one, which takes less than a millisecond and no fence. */
const walkedEntriesMax = 1024

const attemptsMax = 3

export type StretchSizes = {
  /** Exact and at once; undefined for many entries while their fence is being made. Call it in a present snapshot. */
  known(stretch: Stretch): number | undefined
  /**
   * The same when the fence is there, with `tell` called in the snapshot of the count. Undefined where others write so much that it is not
   * finished.
   */
  get<T>(stretch: Stretch, tell: (size: number | undefined) => T | undefined): Promise<T | undefined>
}

type Parts = {
  readonly reader: Connection
  readonly tools: Tools
  readonly fences: Fences
  readonly present: <T>(work: () => T) => T
}

export function makeStretchSizes({ reader, tools, fences, present }: Parts): StretchSizes {
  /** Undefined when there are more than a walk may meet, as there are in the whole of an index that is worth a fence. */
  function walked({ index, span, filter }: Stretch): number | undefined {
    if (span.from === start && span.to === end) return undefined
    let [sum, left] = [0, walkedEntriesMax + 1]
    for (const segment of segmentsBetween(index, span.from, span.to)) {
      const counts = reader.first(tools.statements.tally(index, segment, left)) as number[]
      for (const [bits, count] of counts.entries()) {
        left -= count
        if ((bits & filter.mask) === filter.bits) sum += count
      }
      if (left <= 0) return undefined
    }
    return sum
  }

  function known(stretch: Stretch): number | undefined {
    const { index } = stretch
    if (fences.has(index)) {
      const fence = fences.of(index)
      if (fence) return measure({ reader, tools, index }, fence, stretch).inside
    }
    const few = walked(stretch)
    if (few === undefined) fences.of(index) // begins to make it
    return few
  }

  return {
    known,
    async get(stretch, tell) {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const told = present(() => tell(known(stretch)))
        if (told !== undefined) return told
        await fences.made(stretch.index) // unless a change that nobody can follow ends the making
      }
      return undefined
    },
  }
}
