/** The one loop over the files of a database that are copied, brought back, or compared. */
import type { KeptFile } from '../../storage/copy/kept-files.ts'

/** A file without its bytes, and why. */
export type LackingFile = { readonly id: string; readonly why: string }

export type BroughtFiles = {
  readonly count: number
  readonly bytes: number
  /** How many were copied now; the others were there. */
  readonly copied: number
  /** How many files of records have no bytes that can be read. */
  readonly missing: number
  /** The first of these. */
  readonly missingFirst: readonly LackingFile[]
}

const shownMax = 20

/**
 * `bring`: returns the error that reading the bytes has met, if any. An error that it throws ends
 * the loop.
 */
export async function bringEach(
  kept: AsyncIterable<KeptFile> | Iterable<KeptFile>,
  bring: (file: KeptFile) => Promise<'copied' | 'there' | Error>,
): Promise<BroughtFiles> {
  let [count, bytes, copied, missing] = [0, 0, 0, 0]
  const missingFirst: LackingFile[] = []
  for await (const file of kept) {
    const brought = await bring(file)
    if (brought instanceof Error) {
      if (file.isWaiting) continue // the sweep may have taken it since, and nothing names it
      missing += 1
      if (missingFirst.length < shownMax) missingFirst.push({ id: file.id, why: brought.message })
      continue
    }
    if (brought === 'copied') copied += 1
    count += 1
    bytes += file.size
  }
  return { count, bytes, copied, missing, missingFirst }
}
