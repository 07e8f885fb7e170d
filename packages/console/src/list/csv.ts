/** CSV as RFC 4180 has it, with a header; spreadsheets may separate by semicolons or tabs. */

/** The separator that the header has most of. */
function separatorOf(text: string): string {
  const [head = ''] = text.split('\n', 1)
  return [',', ';', '\t'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] as string
}

/** As it was before the export put `'` before what spreadsheets take for a formula. */
function armed(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}

export type CsvLine = { readonly line: number; readonly cells: readonly string[] }

export type CsvTable = {
  readonly lines: readonly CsvLine[]
  /** Numbers have a decimal comma: that is why a spreadsheet took another separator. */
  readonly hasDecimalComma: boolean
  /** The line whose last cell has a quote without an end: the rest of the file is in it. */
  readonly openQuote: number | undefined
}

/** Its lines with their numbers in the file: a quoted cell may hold more than one. */
export function parseCsv(given: string): CsvTable {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const separator = separatorOf(text)
  const found: CsvLine[] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let line = 1
  let start = 1
  const endLine = () => {
    if (cells.length > 0 || cell !== '') found.push({ line: start, cells: [...cells, cell].map(armed) })
    cells = []
    cell = ''
    start = line
  }
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i] as string
    if (letter === '\n') line += 1
    if (isQuoted && letter === '"' && text[i + 1] === '"') {
      cell += '"'
      i += 1
    } else if (letter === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (isQuoted) cell += letter
    else if (letter === separator) {
      cells.push(cell)
      cell = ''
    } else if (letter === '\n') endLine()
    else cell += letter
  }
  const openQuote = isQuoted ? start : undefined
  endLine()
  return { lines: found, hasDecimalComma: separator === ';', openQuote }
}

/** A phone number and a negative amount call no function. */
const harmless = /^[+-][\d\s().-]*$/

/** Spreadsheets take such a cell for a formula, unless `'` is before it. */
function disarmed(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) && !harmless.test(text) ? `'${text}` : text
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text =
    typeof value === 'string' ? disarmed(value) : typeof value === 'object' ? JSON.stringify(value) : `${value}`
  return /[",;\n\r\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Records = readonly Readonly<Record<string, unknown>>[]

export function toCsv(names: readonly string[], rows: Records): string {
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(cellText).join(',')}\r\n`)
    .join('')
}

export function toNdjson(rows: Records): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
