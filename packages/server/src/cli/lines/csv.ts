/**
 * Converts CSV (RFC 4180) to records and back. The first row names the fields. An empty cell is
 * null or, in fields that the engine sets, absent; `""` is the empty text. Cells are parsed by the
 * type of their field: money is a decimal, a list is JSON or `a;b`.
 */
import { pipeline } from 'node:stream'
import { type CsvError, parse as makeParser } from 'csv-parse'
import { ApiError, StartError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ImportLine } from '../../operation/operation.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { takesValues } from '../../resource/fields/field-facts.ts'
import { listOf } from '../../resource/words/names.ts'
import { parseCell } from '../../value/parse-cell.ts'
import { csvValueOf, printCsv } from '../../value/print-csv.ts'
import type { Represented } from '../../value/represent.ts'

type CsvCell = string | null
type ParsedRow = {
  readonly record: readonly CsvCell[]
  readonly raw: string
  readonly info: { readonly records: number }
}

/** The resource, and the look-up of the field in a column of that name. */
export type CsvColumns = { readonly resource: Resource; fieldOf(column: string): Field | undefined }

function recordOf(
  { fieldOf }: CsvColumns,
  header: readonly string[],
  cells: readonly CsvCell[],
): Record<string, unknown> {
  if (cells.length !== header.length) {
    throw new ApiError('bad-request', `The row has ${cells.length} cells, the header has ${header.length}`)
  }
  const record: Record<string, unknown> = {}
  for (const [i, name] of header.entries()) {
    const field = fieldOf(name) as Field
    const cell = cells[i] as CsvCell
    if (!takesValues(field)) continue // computed from other records, never stored
    if (cell !== null) record[name] = parseCell(cell, name, field)
    else if (name.includes('.') || (!field.setBy && !field.hidden)) record[name] = null
  }
  return record
}

/** Throws `StartError` for columns that are not fields, before anything is stored. */
function checkHeader({ resource, fieldOf }: CsvColumns, cells: readonly CsvCell[]): string[] {
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

/**
 * `a,"b\r\nc"\r\n…` → `'\r\n'`: the first line end outside of quotes; undefined where none has been
 * read yet.
 */
function firstLineEnd(text: string): string | undefined {
  for (const [found] of text.matchAll(/"[^"]*(?:"|$)|\r\n|\n|\r(?!$)/g)) if (!found.startsWith('"')) return found
  return undefined
}

/**
 * The same text, and its line ends. A file may mix `\n` and `\r\n`; `\r` alone ends lines where it
 * ends the first one.
 */
async function findLineEnds(
  texts: AsyncGenerator<string>,
): Promise<{ readonly ends: readonly string[]; readonly whole: AsyncGenerator<string> }> {
  let start = ''
  let end: string | undefined
  while (end === undefined && start.length <= limits.importLineBytesMax) {
    const { value, done } = await texts.next()
    if (done) break
    start += value
    end = firstLineEnd(start)
  }
  async function* whole() {
    yield start
    yield* texts
  }
  const ends = end === '\r' ? ['\r\n', '\n', '\r'] : ['\r\n', '\n']
  return { ends, whole: whole() }
}

/**
 * Counts lines: maps each row to the line of the file on which it begins. Quoted cells may contain
 * line ends.
 */
function makeLineCounter(ends: readonly string[]): (raw: string) => number {
  const lineEnd = ends.includes('\r') ? /\r\n?|\n/g : /\n/g
  let next = 1
  return (raw) => {
    const [blank = ''] = /^[\r\n]*/.exec(raw) ?? []
    const first = next + blank.length // the parser keeps one character of an empty line
    const row = raw.slice(blank.length).replace(/\r?\n?$/, '')
    next = first + 1 + (row.match(lineEnd)?.length ?? 0)
    return first
  }
}

/** Carriage returns that end no line are allowed in quotes alone. Throws `bad-request`. */
function checkReturns(header: readonly string[], { record, raw }: ParsedRow): void {
  const at = record.findIndex((cell) => cell?.includes('\r') && !raw.includes(`"${cell.replaceAll('"', '""')}"`))
  if (at === -1) return
  throw new ApiError('bad-request', `${header[at] ?? 'A cell'} has a carriage return, and is not in quotes`)
}

type CsvFault = { readonly error: CsvError; readonly raw: string }

/**
 * A row that the parser could not read. The parser cannot continue after it, so later rows do not
 * count as read.
 */
function badRow({ error, raw }: CsvFault, line: number): ImportLine {
  const long = error.code === 'CSV_MAX_RECORD_SIZE'
  const problem = long ? `The row is longer than ${limits.importLineBytesMax} bytes` : 'A quote is never closed'
  return {
    line,
    text: raw.trim(),
    parse() {
      throw new ApiError('bad-request', `${problem}; from here on nothing was read`)
    },
  }
}

/** The rows after the header as import lines. A quote inside an unquoted cell is text. */
export async function* csvLines(columns: CsvColumns, chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  let stuck: CsvFault | undefined
  const { ends, whole } = await findLineEnds(decode(chunks))
  const lineOf = makeLineCounter(ends)
  const parser = makeParser({
    bom: true,
    record_delimiter: [...ends],
    info: true,
    raw: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: limits.importLineBytesMax,
    on_skip(error, raw) {
      if (error) stuck ??= { error, raw: raw ?? '' }
      return undefined
    },
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  })
  pipeline(whole, parser, () => undefined) // its error surfaces in the loop below
  let header: string[] | undefined
  for await (const row of parser as AsyncIterable<ParsedRow>) {
    if (stuck && row.info.records > Number(stuck.error.records)) break
    const line = lineOf(row.raw)
    if (!header) {
      header = checkHeader(columns, row.record)
      continue
    }
    const names = header
    const parse = () => {
      checkReturns(names, row)
      return recordOf(columns, names, row.record)
    }
    yield { line, text: row.raw.trim(), parse }
  }
  if (stuck) yield badRow(stuck, lineOf(stuck.raw))
}

export function csvRows({ fields }: Resource, names: readonly string[], records: readonly Represented[]): string {
  return printCsv(records.map((record) => names.map((name) => csvValueOf(fields[name]?.type, record[name]))))
}
