/**
 * CSV (RFC 4180) ↔ records. The first row names the fields. An empty cell is null or, in fields that the engine sets, absent; `""` is the
 * empty text. Numbers, booleans and times are parsed by the type of their field, money as a decimal, a list as JSON or `a;b`.
 */
import { pipeline } from 'node:stream'
import { type CsvError, parse as makeParser } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { ApiError, StartError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ImportLine } from '../../operation/operation.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field, Json } from '../../resource/fields/field.ts'
import { listOf } from '../../resource/names.ts'
import { parseJson } from '../../value/json.ts'
import { type Represented, representValue } from '../../value/represent.ts'

type Cell = string | null
type Parsed = {
  readonly record: readonly Cell[]
  readonly raw: string
  readonly info: { readonly lines: number; readonly records: number }
}

/** `["a","b"]`, `a;b`, `a` → a list. */
function parseListCell(cell: string): unknown {
  if (cell.trimStart().startsWith('[')) return parseJson(cell)
  return cell
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A cell → the JSON value that it stands for. Throws `bad-request`. */
function parseCell(cell: string, name: string, field: Field): unknown {
  const { type } = field
  if (type.isList) return parseListCell(cell)
  return representValue(field, type.parseCell ? type.parseCell(cell, name, field) : type.parse(cell, name, field))
}

/** The resource, and the field that a column of this name holds. */
export type Columns = { readonly resource: Resource; fieldOf(column: string): Field | undefined }

function recordOf({ fieldOf }: Columns, header: readonly string[], cells: readonly Cell[]): Record<string, unknown> {
  if (cells.length !== header.length) {
    throw new ApiError('bad-request', `The row has ${cells.length} cells, the header has ${header.length}`)
  }
  const record: Record<string, unknown> = {}
  for (const [i, name] of header.entries()) {
    const field = fieldOf(name) as Field
    const cell = cells[i] as Cell
    if (field.virtual) continue // made from other records, never stored
    if (cell !== null) record[name] = parseCell(cell, name, field)
    else if (name.includes('.') || (!field.setBy && !field.hidden)) record[name] = null
  }
  return record
}

/** Throws `StartError` for columns that are not fields, before anything is stored. */
function checkHeader({ resource, fieldOf }: Columns, cells: readonly Cell[]): string[] {
  const header = cells.map((cell) => (cell ?? '').trim())
  const unknown = header.filter((name) => fieldOf(name) === undefined)
  if (unknown.length > 0) {
    throw new StartError(
      `The header names ${listOf(unknown.map((name) => name || 'a column without a name'))}; ${resource.slug} have ${listOf(resource.fieldNames)}`,
    )
  }
  const twice = header.find((name, i) => header.indexOf(name) !== i)
  if (twice) throw new StartError(`The header names ${twice} twice`)
  return header
}

async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new StartError('The file is not UTF-8; save it as CSV UTF-8')
    throw error
  }
}

/** The line on which the row began: `lines` counts to its end, and a quoted cell may hold line breaks. */
function firstLineOf(raw: string, lines: number): number {
  const body = raw.replace(/^[\r\n]+/, '').replace(/\r?\n$/, '')
  return Math.max(1, lines - (body.split('\n').length - 1))
}

/** A row that the parser could not read. The parser cannot go on after it, so nothing may seem to have been read after it. */
function badRow(error: CsvError, raw: string): ImportLine {
  const long = error.code === 'CSV_MAX_RECORD_SIZE'
  const problem = long ? `The row is longer than ${limits.importLineBytesMax} bytes` : 'A quote is never closed'
  return {
    line: firstLineOf(raw, Number(error.lines)),
    text: raw.trim(),
    parse() {
      throw new ApiError('bad-request', `${problem}; from here on nothing was read`)
    },
  }
}

/** The rows after the header as import lines. A quote inside an unquoted cell is text. */
export async function* csvLines(columns: Columns, chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  let stuck: { readonly row: ImportLine; readonly afterRecords: number } | undefined
  const parser = makeParser({
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: limits.importLineBytesMax,
    on_skip(error, raw) {
      if (error) stuck ??= { row: badRow(error, raw ?? ''), afterRecords: Number(error.records) }
      return undefined
    },
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  })
  pipeline(decode(chunks), parser, () => undefined) // its error surfaces in the loop below
  let header: string[] | undefined
  for await (const { record, raw, info } of parser as AsyncIterable<Parsed>) {
    if (stuck && info.records > stuck.afterRecords) break
    if (!header) {
      header = checkHeader(columns, record)
      continue
    }
    const names = header
    yield { line: firstLineOf(raw, info.lines), text: raw.trim(), parse: () => recordOf(columns, names, record) }
  }
  if (stuck) yield stuck.row
}

function cellTextOf(value: Json | undefined): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

/** Rows of text, each ended by a line break. */
export function printCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return stringify(rows as (string | number | null)[][], { quoted_match: /^$/ })
}

export function csvRows(names: readonly string[], records: readonly Represented[]): string {
  return printCsv(records.map((record) => names.map((name) => cellTextOf(record[name]))))
}
