/** How many entries a stretch of an index holds: walked where they are few, summed by a fence where they are many. */
import { setImmediate as turn } from 'node:timers/promises'
import { all } from '../../../resource/condition.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Connection } from '../connection.ts'
import { segmentsBetween } from './bound.ts'
import type { Stretch } from './covering.ts'
import { blockEntries } from './fence.ts'
import type { Fences } from './fences.ts'
import { countSpan, flagConditions } from './rank.ts'

/** Up to so many entries are counted one by one: a fence would look at as many at the ends of its blocks. */
export const walkedEntriesMax = 2 * blockEntries

export type StretchSizes = {
  /** Exact and at once; undefined for many entries while their fence is being made. Call it in a present snapshot. */
  known(stretch: Stretch): number | undefined
  /** The same when the fence is there, with `tell` called in the snapshot of the count. */
  get<T>(stretch: Stretch, tell: (size: number | undefined) => T | undefined): Promise<T>
}

type Parts = {
  readonly reader: Connection
  readonly tools: Tools
  readonly fences: Fences
  readonly present: <T>(work: () => T) => T
}

export function makeStretchSizes({ reader, tools, fences, present }: Parts): StretchSizes {
  /** Undefined when there are more than a walk may meet. */
  function walked({ index, span, filter }: Stretch): number | undefined {
    let [sum, left] = [0, walkedEntriesMax + 1]
    const flags = flagConditions(index, { mask: 0, bits: 0 })
    for (const segment of segmentsBetween(index, span.from, span.to)) {
      const tally = reader.all(tools.statements.tally(index, all(segment, ...flags), left)) as [number, number][]
      for (const [bits, count] of tally) {
        left -= count
        if ((bits & filter.mask) === filter.bits) sum += count
      }
      if (left <= 0) return undefined
    }
    return sum
  }

  function known(stretch: Stretch): number | undefined {
    const { index, span, filter } = stretch
    if (fences.has(index)) {
      const fence = fences.of(index)
      if (fence) return countSpan({ reader, tools, index }, fence, { span, filter })
    }
    const few = walked(stretch)
    if (few === undefined) fences.of(index) // begins to make it
    return few
  }

  return {
    known,
    async get(stretch, tell) {
      for (;;) {
        const told = present(() => tell(known(stretch)))
        if (told !== undefined) return told
        // A change that nobody can follow ends the making, and it begins again.
        if (!(await fences.made(stretch.index))) await turn()
      }
    },
  }
}
