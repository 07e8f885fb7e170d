/** Records to be made: of the lines of a CSV file, and samples of the schemas. */
import type { FieldDescription } from 'bindery-server/client'
import { kindOf } from '../fields/field-kinds.ts'
import { valueFrom } from '../fields/typed-value.ts'
import type { CsvLine } from './csv.ts'

export type NewRecord = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }
export type Table = { readonly records: readonly NewRecord[]; readonly unknown: readonly string[] }

function cellValue(field: FieldDescription, text: string): unknown {
  const { line, readCell } = kindOf(field)
  return line || !readCell ? valueFrom(field, text) : readCell(text)
}

/** A column names a field by its name or its label. An empty cell gives no value. */
export function recordsIn([head, ...lines]: readonly CsvLine[], fields: readonly FieldDescription[]): Table {
  const settable = fields.filter((one) => one.settable.includes('create'))
  const find = (name: string) => settable.find((one) => [one.name, one.label].includes(name.trim()))
  const columns = (head?.cells ?? []).map(find)
  const records = lines.map(({ line, cells }) => {
    const given = columns.flatMap((field, i) => (field && cells[i] ? [[field.name, cellValue(field, cells[i])]] : []))
    return { line, values: Object.fromEntries(given) }
  })
  return { records, unknown: (head?.cells ?? []).filter((name) => !find(name)) }
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
