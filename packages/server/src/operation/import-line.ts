/** A line of an import, as whoever reads it hands it over: bytes, which are JSON or not. */
import { decodeUtf8, parseJson } from '../value/json.ts'
import type { ImportLine } from './operation.ts'

const lastBlank = 32

/** Undefined for an empty line, which is skipped. `line` counts from 1. */
export function importLine(bytes: Buffer, line: number): ImportLine | undefined {
  if (!bytes.some((byte) => byte > lastBlank)) return undefined
  return {
    line,
    get text() {
      return bytes.toString('utf8').trimEnd()
    },
    parse: () => parseJson(decodeUtf8(bytes)),
  }
}
