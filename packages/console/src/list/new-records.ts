/** Records to be made: of the lines of a CSV file, and samples of the schemas. */
import type { FieldDescription } from 'bindery-server/client'
import type { LineError } from '../api/uploads.ts'
import { kindOf } from '../fields/field-kinds.ts'
import { valueFrom } from '../fields/typed-value.ts'
import { t } from '../words/words.ts'
import type { CsvLine, CsvTable } from './csv.ts'

export type NewRecord = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }
export type Table = {
  readonly records: readonly NewRecord[]
  /** Columns that name no field, or one that another column has named. */
  readonly unknown: readonly string[]
  readonly errors: readonly LineError[]
}

/** `12,50` → 12.5 in a file whose numbers have a comma. A group of thousands is none: `1,234`. */
function withoutComma(field: FieldDescription, text: string): string {
  const isFigure = kindOf(field).line?.input === 'number'
  return isFigure && /^[+-]?\d+,(\d{1,2}|\d{4,})$/.test(text.trim()) ? text.trim().replace(',', '.') : text
}

function cellValue(field: FieldDescription, text: string): unknown {
  const { line, readCell } = kindOf(field)
  return line || !readCell ? valueFrom(field, text) : readCell(text)
}

/** A column names a field by its name or its label. An empty cell gives no value. */
export function recordsIn({ lines, hasDecimalComma, openQuote }: CsvTable, fields: readonly FieldDescription[]): Table {
  const [head, ...others] = lines
  const names = (head?.cells ?? []).map((name) => name.trim())
  const settable = fields.filter((one) => one.settable.includes('create'))
  const found = names.map((name) => settable.find((one) => one.name === name || one.label === name))
  const columns = found.map((field, i) => (found.indexOf(field) === i ? field : undefined))
  const isRight = ({ line, cells }: CsvLine) => cells.length <= names.length && line !== openQuote
  const records = others.filter(isRight).map(({ line, cells }) => {
    const given = columns.flatMap((field, i) => {
      const text = field && hasDecimalComma ? withoutComma(field, cells[i] ?? '') : cells[i]
      return field && text ? [[field.name, cellValue(field, text)]] : []
    })
    return { line, values: Object.fromEntries(given) }
  })
  const errors = others
    .filter((one) => !isRight(one))
    .map(({ line, cells }) => ({
      line,
      error: line === openQuote ? t('openQuote') : t('manyCells', { cells: cells.length, columns: names.length }),
    }))
  return { records, unknown: names.filter((_, i) => !columns[i]), errors }
}

function sampleOf(field: FieldDescription, i: number): unknown {
  const examples = (field.schema.examples ?? []) as readonly unknown[]
  return examples.length > 0 ? examples[i % examples.length] : kindOf(field).sample?.(field, i)
}

/** `references`: ids for the fields that must name a record. */
export function samplesOf(
  fields: readonly FieldDescription[],
  count: number,
  references: Readonly<Record<string, string>> = {},
): readonly NewRecord[] {
  const used = fields.filter((field) => {
    const { settable, required, type, reference, schema, name } = field
    if (!settable.includes('create')) return false
    if (reference) return name in references
    return required.includes('create') || (type !== 'id' && kindOf(field).sample && !schema.pattern)
  })
  return Array.from({ length: count }, (_, i) => {
    const given = used.map((field) => [field.name, references[field.name] ?? sampleOf(field, i)] as const)
    return { line: i + 1, values: Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  })
}
