/**
 * Values as they are typed into an input of one line, and back. Types with a form of their own, a
 * list of texts for one, are changed on the page of the record.
 */
import type { FieldDescription } from 'bindery-server/client'

type Kind = 'text' | 'number' | 'choice' | 'time' | 'date'
type Field = Pick<FieldDescription, 'type' | 'schema' | 'nullable' | 'reference'>

const numberTypes: readonly string[] = ['integer', 'money', 'decimal', 'integerId', 'number']

/** Undefined where the value does not fit an input of one line. */
export function inputKindOf({ type, schema }: Field): Kind | undefined {
  if (Array.isArray(schema.enum) || type === 'choice' || type === 'boolean') return 'choice'
  if (numberTypes.includes(type)) return 'number'
  if (type === 'timestamp') return 'time'
  if (type === 'date') return 'date'
  return schema.type === 'string' ? 'text' : undefined
}

/** The values of a choice; a boolean has two. */
export function choicesOf({ type, schema }: Field): readonly string[] {
  if (type === 'boolean') return ['true', 'false']
  return ((schema.enum as readonly unknown[] | undefined) ?? []).filter((one) => one !== null).map(String)
}

/** An input of a time has the reader's zone, and no zone in its text. */
function localTime(value: string): string {
  const at = new Date(value)
  const here = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
  return here.replace(/(:00)?\.000$/, '')
}

export function typedFrom(field: Field, value: unknown): string {
  if (value === null || value === undefined) return ''
  return inputKindOf(field) === 'time' ? localTime(String(value)) : String(value)
}

/** A text that is no number is sent as it is: the server says what is wrong with it. */
export function valueFrom(field: Field, typed: string): unknown {
  if (typed === '') return field.nullable || inputKindOf(field) !== 'text' ? null : ''
  if (field.type === 'boolean') return typed === 'true'
  const kind = inputKindOf(field)
  if (kind === 'number') return Number.isNaN(Number(typed)) ? typed : Number(typed)
  if (kind !== 'time') return typed
  const at = new Date(typed)
  return Number.isNaN(at.getTime()) ? typed : at.toISOString()
}
