/**
 * The bounds of the kept log: its age and its size. Sweeps count the bytes of its rows once, when
 * the rows are a minute old, and note the sum.
 */

export type KeptBounds = { readonly ms: number; readonly bytesMax: number }

/** The bounds where no setting says others: 7 days, and 1 GB. */
export const changesKeptDefault: KeptBounds = { ms: 7 * 24 * 60 * 60 * 1000, bytesMax: 1_000_000_000 }

/** The note of the sweeps: how far they are, and the kept rows up to there with their bytes. */
export const sweptNote = 'changes_swept'
export type SweptState<At> = { readonly at: At; readonly bytes: number; readonly rows: number }

/** A note without the number of rows is of an earlier version: they are counted again. */
export function sweptStateIn<At>(text: string | undefined): SweptState<At> | undefined {
  const noted = text === undefined ? undefined : (JSON.parse(text) as Partial<SweptState<At>>)
  return noted?.rows === undefined ? undefined : (noted as SweptState<At>)
}

/** Bytes of a row besides its texts: its other columns, its index entries. */
const rowBytes = 200
/** The size of a row. `length`: the database's function for the bytes of a text. */
export const rowSizeSql = (length: string): string =>
  `${rowBytes} + coalesce(${length}(detail), 0) + coalesce(${length}(records), 0)`

export type SizedRow = { readonly atMs: number; readonly size: number }

/** The number of the oldest rows to remove, and their bytes. */
export function overdueRows(
  rows: readonly SizedRow[],
  { bytes, bounds, nowMs }: { readonly bytes: number; readonly bounds: KeptBounds; readonly nowMs: number },
): { readonly count: number; readonly size: number } {
  let size = 0
  for (const [count, row] of rows.entries()) {
    if (row.atMs >= nowMs - bounds.ms && bytes - size <= bounds.bytesMax) return { count, size }
    size += row.size
  }
  return { count: rows.length, size }
}
