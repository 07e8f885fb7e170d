/** A line of an import, as whoever reads it hands it over: bytes, which are JSON or not. */
import { checkUtf8, parseJson } from '../value/json.ts'
import type { ImportLine } from './operation.ts'

const lastBlank = 32

/** Undefined for an empty line, which is skipped. `line` counts from 1. */
export function importLine(bytes: Buffer, line: number): ImportLine | undefined {
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
