/**
 * The lag between row order (the order of inserts) and the order of a timestamp. No row's time is
 * earlier than that of a row before it by more than the lag. Overlapping requests make it
 * milliseconds, an import of old records years. A backward read for the newest rows may stop once
 * times are older than the lag.
 */
import type { Field } from '../../../resource/fields/field.ts'
import type { RowImage } from '../../changes.ts'
import type { IndexCell } from './index-predicate.ts'
import type { RankedIndex } from './ranked-index.ts'

export type RowLag = {
  /**
   * Adds consecutive blocks of the index: the first and last time of each, and its lowest and
   * highest row number.
   */
  addBlock(ends: readonly [IndexCell, IndexCell], rows: readonly [number, number]): void
  /** A new record has the highest row number of all. `isMaking`: more blocks are still to come. */
  follow(image: RowImage, isMaking: boolean): void
  /** At least the true lag; infinite where it is not known. */
  ms(): number
}

const unknown: RowLag = { addBlock() {}, follow() {}, ms: () => Infinity }

type SeenRows = { readonly fromMs: number; readonly highestRow: number }

/** For an index by a time and the id; it is not known for any other. */
export function makeRowLag({ resource, fields }: RankedIndex): RowLag {
  const [field = '', id] = fields
  const isByTime = (resource.fields[field] as Field).type.column === 'timestamp' && id === resource.idField
  if (!isByTime || resource.fields[field]?.nullable) return unknown
  const seen: SeenRows[] = []
  let lagMs = 0
  let newestMs = 0
  /** Of the records inserted during the build. */
  let earliestMs = Infinity
  const timeOf = (cell: unknown) => (typeof cell === 'string' ? Date.parse(cell) : 0)

  /** The first block that has a row behind this one. */
  function firstBehind(row: number): SeenRows | undefined {
    return (seen.at(-1)?.highestRow ?? 0) < row ? undefined : seen.find(({ highestRow }) => highestRow > row)
  }

  return {
    addBlock([from, to], [lowest, highest]) {
      if (highest === 0) return // an empty table
      const [fromMs, toMs] = [timeOf(from), timeOf(to)]
      lagMs = Math.max(lagMs, toMs - (firstBehind(lowest)?.fromMs ?? fromMs))
      newestMs = Math.max(newestMs, toMs)
      // Blocks with lower rows than an earlier block are never the first behind a row.
      if (highest > (seen.at(-1)?.highestRow ?? 0)) seen.push({ fromMs, highestRow: highest })
    },
    follow({ before, after }, isMaking) {
      if (before && after && before[field] !== after[field]) lagMs = Infinity
      if (before || !after) return
      const ms = timeOf(after[field])
      if (isMaking) earliestMs = Math.min(earliestMs, ms)
      else lagMs = Math.max(lagMs, newestMs - ms)
      newestMs = Math.max(newestMs, ms)
    },
    ms: () => Math.max(lagMs, newestMs - earliestMs),
  }
}
