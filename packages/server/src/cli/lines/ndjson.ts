/** NDJSON: one JSON object per line. Empty lines are skipped; a line that is too long is a bad line, not the end of the file. */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ImportLine } from '../../operation/operation.ts'
import { decodeUtf8, parseJson } from '../../value/json.ts'

const lineFeed = 10
/** How much of a line that is too long the report shows. */
const shownBytes = 200

function toLine(bytes: Buffer, line: number): ImportLine {
  return {
    line,
    get text() {
      return bytes.toString('utf8').trimEnd()
    },
    parse: () => parseJson(decodeUtf8(bytes)),
  }
}

type Long = { readonly start: Buffer; readonly line: number; readonly bytesMax: number }

function tooLong({ start, line, bytesMax }: Long): ImportLine {
  return {
    line,
    text: `${start.subarray(0, shownBytes).toString('utf8')}…`,
    parse() {
      throw new ApiError('bad-request', `The line is longer than ${bytesMax} bytes`)
    },
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** Splits the input into lines and holds no more than one. A byte-order mark at the start, as Windows writes it, is ignored. */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  bytesMax: number = limits.importLineBytesMax,
): AsyncGenerator<ImportLine> {
  let parts: Buffer[] = []
  let bytes = 0
  let line = 1

  const add = (part: Buffer) => {
    if (bytes <= bytesMax) parts.push(part)
    bytes += part.length
  }
  const take = (): ImportLine | undefined => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    const isLong = bytes > bytesMax
    const number = line
    parts = []
    bytes = 0
    line += 1
    if (isLong) return tooLong({ start: whole, line: number, bytesMax })
    const content = number === 1 ? withoutMark(whole) : whole
    return content.some((byte) => byte > 32) ? toLine(content, number) : undefined
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const found = take()
      if (found) yield found
    }
    add(chunk.subarray(start))
  }
  const last = take()
  if (last) yield last
}
