/** Prints rows of values as aligned columns. */
import { paint, plain } from './output.ts'

type TableRow = Readonly<Record<string, unknown>>
export type OutputTable = {
  /** The heading, if there are rows at all, and the rows. */
  print(rows: readonly TableRow[], options?: { header: boolean }): string
}

/** `['a', 'b']` → `a, b`; `[['a', 1], ['b']]` → `["a",1], ["b"]`; null → `-` */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(itemOf).join(', ')
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A list in a list is JSON, so that its items are not taken for those of the list around it. */
function itemOf(item: unknown): string {
  return Array.isArray(item) ? plain(JSON.stringify(item)) : cellOf(item)
}

function widthOf(text: string): number {
  return [...text].length
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** `createdAt` → `CREATED AT` */
function headingOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
}

/** Columns keep their width after the first rows, so rows may come in batches. */
export function makeTable(names: readonly string[]): OutputTable {
  const widths = new Map(names.map((name) => [name, widthOf(headingOf(name))]))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => pad(cell, widths.get(names[i] ?? '') ?? 0))
      .join('  ')
      .trimEnd()
  return {
    print(rows, { header } = { header: true }) {
      const texts = rows.map((row) => names.map((name) => cellOf(row[name])))
      for (const cells of texts) {
        for (const [i, name] of names.entries())
          widths.set(name, Math.max(widths.get(name) ?? 0, widthOf(cells[i] ?? '')))
      }
      const heading = header && rows.length > 0 ? `${paint('bold', line(names.map(headingOf)))}\n` : ''
      return heading + texts.map((cells) => `${line(cells)}\n`).join('')
    },
  }
}

/** One record, one field per line. */
export function printRecord(record: TableRow): string {
  const width = Math.max(...Object.keys(record).map(widthOf))
  return Object.entries(record)
    .map(([name, value]) => `${paint('dim', pad(name, width))}  ${cellOf(value)}\n`)
    .join('')
}
