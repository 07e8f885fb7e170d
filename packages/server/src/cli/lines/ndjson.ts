/**
 * Reads NDJSON: one JSON object a line. Empty lines are skipped. A line that is too long is a bad
 * line and does not end the file.
 */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { importLine } from '../../operation/import-line.ts'
import type { ImportLine } from '../../operation/operation.ts'
import { fileLines } from '../../storage/copy/file-lines.ts'

/** The part of such a line that the report shows. */
const shownBytes = 200

type LongLine = { readonly start: Buffer; readonly line: number; readonly bytesMax: number }

function tooLong({ start, line, bytesMax }: LongLine): ImportLine {
  return {
    line,
    text: `${start.subarray(0, shownBytes).toString('utf8')}…`,
    parse() {
      throw new ApiError('bad-request', `The line is longer than ${bytesMax} bytes`)
    },
  }
}

/** Holds at most one line in memory. */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  bytesMax: number = limits.importLineBytesMax,
): AsyncGenerator<ImportLine> {
  let line = 0
  for await (const { bytes, isWhole } of fileLines(chunks, bytesMax)) {
    line += 1
    const found = isWhole ? importLine(bytes, line) : tooLong({ start: bytes, line, bytesMax })
    if (found) yield found
  }
}
