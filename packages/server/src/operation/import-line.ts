/** Parses one line of an import from bytes, which may not be JSON. */
import { checkUtf8, parseJson } from '../value/json.ts'
import type { ImportLine } from './operation.ts'

const lastBlank = 32

/** A file may begin with a byte-order mark, as Windows writes it (RFC 8259, section 8.1). */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/**
 * Undefined for an empty line, which is skipped. `line` counts from 1; a byte-order mark before it
 * is ignored.
 */
export function importLine(read: Buffer, line: number): ImportLine | undefined {
  const bytes = line === 1 ? withoutMark(read) : read
  if (!bytes.some((byte) => byte > lastBlank)) return undefined
  let decoded: string | undefined
  const text = () => {
    decoded ??= bytes.toString('utf8')
    return decoded
  }
  return {
    line,
    get text() {
      return text().trimEnd()
    },
    parse() {
      checkUtf8(bytes)
      return parseJson(text())
    },
  }
}
