/**
 * Prints CSV (RFC 4180) for exports and summaries. An empty cell is null, `""` is the empty
 * text, and each line ends with `\n`. Values are those of JSON.
 */
import type { Field, Json } from '../resource/fields/field.ts'

export type CsvValue = string | number | null

type CellType = Pick<Field['type'], 'isCellJson' | 'holdsFiles'>

/** The name of a file, or `name;name`. */
function namesOf(value: Json): string {
  const files = [value].flat() as unknown as readonly { readonly name: string }[]
  return files.map(({ name }) => name).join(';')
}

/** `type`: that of the field; undefined for values of no field. */
export function csvValueOf(type: CellType | undefined, value: Json | undefined): CsvValue {
  if (value === null || value === undefined) return null
  if (type?.holdsFiles) return namesOf(value)
  if (type?.isCellJson) return JSON.stringify(value)
  if (typeof value === 'string' || typeof value === 'number') return value
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

function cellOf(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Each row ends with a line break. */
export function printCsv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join()}\n`).join('')
}
