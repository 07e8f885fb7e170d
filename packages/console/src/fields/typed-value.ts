/**
 * Values as they are typed into an input of one line, and back. Kinds without such an input, a list
 * of texts for one, are changed on the page of the record.
 */
import type { KindField, LineKind } from './field-kind.ts'
import { kindOf } from './field-kinds.ts'

/** Undefined where the value does not fit an input of one line. */
export function lineOf(field: KindField): LineKind | undefined {
  return kindOf(field).line
}

export function typedFrom(field: KindField, value: unknown): string {
  if (value === null || value === undefined) return ''
  return lineOf(field)?.print?.(value) ?? String(value)
}

export function valueFrom(field: KindField, typed: string): unknown {
  const line = lineOf(field)
  if (typed === '') return field.nullable || !line?.takesEmpty ? null : ''
  return line?.read ? line.read(typed) : typed
}
