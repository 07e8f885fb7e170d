/** Records to be made: of the lines of a CSV file, and samples of the schemas. */
import type { FieldDescription } from 'bindery-server/client'
import { choicesOf, inputKindOf, valueFrom } from '../fields/typed-value.ts'
import type { CsvLine } from './csv.ts'

export type NewRecord = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }
export type Table = { readonly records: readonly NewRecord[]; readonly unknown: readonly string[] }

function cellValue(field: FieldDescription, text: string): unknown {
  if (inputKindOf(field)) return valueFrom(field, text)
  if (field.type === 'textList' && !text.startsWith('[')) return text.split(',').map((one) => one.trim())
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
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

const dayMs = 86_400_000
const plainTypes: readonly string[] = ['text', 'integer', 'money', 'boolean', 'choice', 'timestamp', 'date']

function sampleText({ label, schema }: FieldDescription, i: number): string {
  if (schema.format === 'email') return `sample-${i + 1}@example.com`
  if (schema.format === 'uri') return `https://example.com/${i + 1}`
  return `${label} ${i + 1}`.slice(0, (schema.maxLength as number | undefined) ?? 100)
}

function sampleValue(field: FieldDescription, i: number): unknown {
  const { schema } = field
  const examples = (schema.examples ?? []) as readonly unknown[]
  if (examples.length > 0) return examples[i % examples.length]
  const kind = inputKindOf(field)
  const choices = choicesOf(field)
  if (kind === 'choice') return valueFrom(field, choices[i % choices.length] ?? '')
  if (kind === 'number')
    return Math.min(((schema.minimum as number | undefined) ?? 0) + i + 1, (schema.maximum as number) ?? Infinity)
  if (kind === 'time') return new Date(Date.now() - i * dayMs).toISOString()
  if (kind === 'date') return new Date(Date.now() - i * dayMs).toISOString().slice(0, 10)
  return kind === 'text' ? sampleText(field, i) : undefined
}

/** `references`: ids for the fields that must name a record. */
export function samplesOf(
  fields: readonly FieldDescription[],
  count: number,
  references: Readonly<Record<string, string>> = {},
): readonly NewRecord[] {
  const used = fields.filter(({ settable, required, type, reference, schema, name }) => {
    if (!settable.includes('create')) return false
    if (reference) return name in references
    return required.includes('create') || (plainTypes.includes(type) && !schema.pattern)
  })
  return Array.from({ length: count }, (_, i) => {
    const given = used.map((field) => [field.name, references[field.name] ?? sampleValue(field, i)] as const)
    return { line: i + 1, values: Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  })
}
