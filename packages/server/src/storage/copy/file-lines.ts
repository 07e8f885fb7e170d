/**
 * Reads a file line by line. Only a line feed ends a line, so a text may hold any other separator.
 */

/**
 * `isWhole` is false for a line of more than `bytesMax` bytes, of which this is only the beginning.
 */
export type FileLine = { readonly bytes: Buffer; readonly isWhole: boolean }

/** Holds one line at a time, and at most one chunk beyond the bound of a line that is too long. */
export async function* fileLines(
  chunks: AsyncIterable<Buffer>,
  bytesMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<FileLine> {
  let parts: Buffer[] = []
  let size = 0
  function add(part: Buffer): void {
    if (size <= bytesMax) parts.push(part)
    size += part.length
  }
  function take(): FileLine {
    const [first] = parts
    const line = { bytes: first && parts.length === 1 ? first : Buffer.concat(parts), isWhole: size <= bytesMax }
    parts = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end))
      from = end + 1
      yield take()
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  if (size > 0) yield take()
}
